#include "mpi_library/payload.h"

#include "emulate/memory/allocation.h"
#include "function_ids.h"
#include "mpi_library/collective_data.h"
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/delivery.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery::emulate {

void PayloadPool::remove(std::uint32_t number) {
    Payload& payload = all_[number];
    if (payload.kept != nullptr && payload.bytes <= small_block) spare_.push_back(std::move(payload.kept));
    payload.kept.reset();
    payload.type = {};
    all_.remove(number);
}

std::unique_ptr<std::byte[]> PayloadPool::block(Bytes bytes) {
    if (bytes > small_block || spare_.empty())
        return std::make_unique_for_overwrite<std::byte[]>(std::max(bytes, small_block));
    std::unique_ptr<std::byte[]> spare = std::move(spare_.back());
    spare_.pop_back();
    return spare;
}

std::byte* PayloadPool::piece(const Payload& payload, Bytes bytes) const {
    return static_cast<std::byte*>(memory_of(payload.rank, payload.collective->at(payload.piece(bytes))));
}

void PayloadPool::move(const Payload& from, Payload& to, Bytes bytes) const {
    if (bytes == 0) return;
    delivery.from = &from;
    delivery.to = &to;
    const std::byte* packed = from.kept.get();
    if (packed == nullptr && from.collective != nullptr) packed = piece(from, from.bytes);
    if (packed == nullptr && (!from.type || from.type->dense()))
        packed = static_cast<const std::byte*>(address(from));
    if (to.collective != nullptr) {
        // Growing the receiver's buffer cannot move the sender's: they are of different ranks or calls.
        mpi::copy_bytes(piece(to, bytes), packed, bytes);
    } else if (packed != nullptr && (!to.type || to.type->dense())) {
        mpi::copy_bytes(address(to), packed, bytes);
    } else if (packed != nullptr) {
        mpi::unpack(*to.type, address(to), to.count, 0, bytes, packed);
    } else if (!to.type || to.type->dense()) {
        mpi::pack(*from.type, address(from), from.count, 0, bytes, static_cast<std::byte*>(address(to)));
    } else {
        mpi::copy(*from.type, address(from), from.count, *to.type, address(to), to.count, bytes);
    }
    delivery.from = nullptr;
}

[[gnu::flatten]] void PayloadPool::sent(const Request& send, const Request* recv) {
    if (send.line == no_payload) return;
    Payload& from = all_[send.line];
    if (recv != nullptr) {
        Payload& to = all_[recv->line];
        move(from, to, std::min(from.bytes, to.bytes));
        from.moved = true;
    } else if (from.collective == nullptr && !from.type && is_all_shared(from.address, from.bytes)) {
        from.moved = true; // its content has no meaning
    } else if (send.is(Request::eager) && from.bytes > 0 && from.kept == nullptr) {
        from.kept = block(from.bytes);
        // Zeros where shared memory is not copied from.
        if (is_folded(from.address)) std::fill_n(from.kept.get(), from.bytes, std::byte{});
        delivery.from = &from;
        delivery.to = nullptr;
        if (from.collective != nullptr) {
            mpi::copy_bytes(from.kept.get(), piece(from, from.bytes), from.bytes);
        } else if (!from.type || from.type->dense()) {
            mpi::copy_bytes(from.kept.get(), address(from), from.bytes);
        } else {
            mpi::pack(*from.type, address(from), from.count, 0, from.bytes, from.kept.get());
        }
        delivery.from = nullptr;
    }
}

void PayloadPool::note_mismatch(const Payload& from, const Payload& to) {
    if (from.bytes == 0 || mismatches_.count++ > 0) return;
    const auto call = [](const Payload& one) { return mpi::name_of(static_cast<mpi::FunctionId>(one.call)); };
    mismatches_.first =
        fmt::format("rank {} sends {} ({}), rank {} receives them as {} ({})", from.rank,
                    mpi::basic_words(from.basic), call(from), to.rank, mpi::basic_words(to.basic), call(to));
}

[[gnu::flatten]] void PayloadPool::deliver(const Request& send, const Request& recv) {
    if (send.line == no_payload) return;
    Payload& from = all_[send.line];
    Payload& to = all_[recv.line];
    if (!from.moved) move(from, to, std::min(from.bytes, to.bytes));
    if (from.basic != to.basic && from.basic != 0 && to.basic != 0) [[unlikely]]
        note_mismatch(from, to);
    to.truncated = from.bytes > to.bytes;
    to.bytes = std::min(from.bytes, to.bytes);
    to.source = send.rank;
    to.tag = send.tag;
    remove(send.line);
    if (to.orphan) remove(recv.line);
}

} // namespace orrery::emulate
