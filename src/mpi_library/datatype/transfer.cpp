#include "mpi_library/datatype/transfer.h"

#include "mpi_library/datatype/walk.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace orrery::emulate::mpi {

namespace {

void plain_copy(void* to, const void* from, Bytes bytes) { std::memcpy(to, from, bytes); }

std::byte* at(ByteAddress address) { return reinterpret_cast<std::byte*>(address); }
ByteAddress address_of(const void* pointer) { return reinterpret_cast<ByteAddress>(pointer); }

// A row of blocks of a size that the compiler knows.
template <std::size_t Unit>
void copy_row(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
              std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to, from, Unit);
        to += to_stride;
        from += from_stride;
    }
}

void copy_row(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
              Bytes unit, std::int64_t count) {
    if (copy_bytes == plain_copy && count > 1) {
        switch (unit) {
        case 1: return copy_row<1>(to, to_stride, from, from_stride, count);
        case 2: return copy_row<2>(to, to_stride, from, from_stride, count);
        case 4: return copy_row<4>(to, to_stride, from, from_stride, count);
        case 8: return copy_row<8>(to, to_stride, from, from_stride, count);
        case 12: return copy_row<12>(to, to_stride, from, from_stride, count);
        case 16: return copy_row<16>(to, to_stride, from, from_stride, count);
        case 24: return copy_row<24>(to, to_stride, from, from_stride, count);
        case 32: return copy_row<32>(to, to_stride, from, from_stride, count);
        case 64: return copy_row<64>(to, to_stride, from, from_stride, count);
        default: break;
        }
    }
    for (std::int64_t i = 0; i < count; ++i) {
        copy_bytes(to, from, unit);
        if (i + 1 == count) break; // no pointers beyond the buffers
        to += to_stride;
        from += from_stride;
    }
}

struct Packing {
    std::byte* out;
    void row(ByteAddress address, Bytes unit, std::int64_t count, std::int64_t stride) {
        copy_row(out, static_cast<std::int64_t>(unit), at(address), stride, unit, count);
        out += unit * static_cast<Bytes>(count);
    }
};

struct Unpacking {
    const std::byte* in;
    void row(ByteAddress address, Bytes unit, std::int64_t count, std::int64_t stride) {
        copy_row(at(address), stride, in, static_cast<std::int64_t>(unit), unit, count);
        in += unit * static_cast<Bytes>(count);
    }
};

template <typename Sink>
void walk(const Datatype& type, Sink sink, const void* base, std::int64_t count, Bytes first, Bytes bytes) {
    Walk<Sink>(type.layout(), sink).run(address_of(base), count, type.size(), type.extent(), first, bytes);
}

constexpr Bytes staged = Bytes{32} * 1024; // between two layouts with gaps: stays in the first level of cache

} // namespace

CopyBytes copy_bytes = plain_copy;

void pack(const Datatype& type, const void* base, std::int64_t count, Bytes first, Bytes bytes,
          std::byte* out) {
    if (bytes == 0) return;
    if (type.dense()) return copy_bytes(out, at(address_of(base) + static_cast<ByteAddress>(first)), bytes);
    walk(type, Packing{out}, base, count, first, bytes);
}

void unpack(const Datatype& type, void* base, std::int64_t count, Bytes first, Bytes bytes,
            const std::byte* in) {
    if (bytes == 0) return;
    if (type.dense()) return copy_bytes(at(address_of(base) + static_cast<ByteAddress>(first)), in, bytes);
    walk(type, Unpacking{in}, base, count, first, bytes);
}

void copy(const Datatype& from_type, const void* from, std::int64_t from_count, const Datatype& to_type,
          void* to, std::int64_t to_count, Bytes bytes) {
    if (bytes == 0) return;
    if (to_type.dense()) {
        if (from_type.dense() && from == to) return;
        return pack(from_type, from, from_count, 0, bytes, static_cast<std::byte*>(to));
    }
    if (from_type.dense()) return unpack(to_type, to, to_count, 0, bytes, static_cast<const std::byte*>(from));
    const auto stage = std::make_unique_for_overwrite<std::byte[]>(std::min(bytes, staged));
    for (Bytes done = 0; done < bytes; done += staged) {
        const Bytes now = std::min(bytes - done, staged);
        pack(from_type, from, from_count, done, now, stage.get());
        unpack(to_type, to, to_count, done, now, stage.get());
    }
}

} // namespace orrery::emulate::mpi
