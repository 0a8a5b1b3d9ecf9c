#include "mpi_library/io/view.h"

#include "mpi_library/datatype/external.h"
#include "mpi_library/datatype/walk.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace orrery::emulate::mpi {

namespace {

// Calls `block(offset in the file, bytes)` for each block until it returns false.
template <typename Block> struct BlockSink {
    Block& block;
    bool on = true;
    void row(ByteAddress at, Bytes unit, std::int64_t count, std::int64_t stride) {
        for (std::int64_t i = 0; on && i < count; ++i) on = block(at + i * stride, unit);
    }
};

template <typename Block> void each_block(const View& view, Bytes first, Bytes bytes, Block block) {
    const Datatype& type = *view.filetype;
    if (bytes == 0) return;
    if (type.dense()) {
        (void)block(view.displacement + static_cast<ByteAddress>(first), bytes);
        return;
    }
    const auto tiles = static_cast<std::int64_t>((first + bytes + type.size() - 1) / type.size());
    BlockSink<Block> sink{block};
    Walk<BlockSink<Block>>(type.layout(), sink)
        .run(view.displacement, tiles, type.size(), type.extent(), first, bytes);
}

// All of a block, or up to the end of the file. `move` is pread or pwrite.
template <typename Move> bool move_block(Moved& moved, ByteAddress offset, Bytes bytes, Move move) {
    Bytes done = 0;
    while (done < bytes) {
        const ssize_t now = move(done, bytes - done, offset + static_cast<ByteAddress>(done));
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) moved.error = errno;
        if (now <= 0) break;
        done += static_cast<Bytes>(now);
    }
    moved.bytes += done;
    return done == bytes;
}

struct Ascending {
    bool overlaps_allowed;
    ByteAddress begin = 0; // of the last block, and its end
    ByteAddress end = 0;
    bool holds = true;
    void row(ByteAddress at, Bytes unit, std::int64_t count, std::int64_t stride) {
        const std::int64_t apart = overlaps_allowed ? 0 : static_cast<std::int64_t>(unit);
        holds = holds && at >= (overlaps_allowed ? begin : end) && (count == 1 || stride >= apart);
        begin = at + (count - 1) * stride;
        end = begin + static_cast<ByteAddress>(unit);
    }
};

} // namespace

bool is_ascending(const Datatype& type, bool overlaps_allowed) {
    Ascending sink{overlaps_allowed};
    Walk<Ascending>(type.layout(), sink).run(0, 1, type.size(), type.extent(), 0, type.size());
    return sink.holds;
}

View::View() : etype(datatype(MPI_BYTE)), filetype(datatype(MPI_BYTE)) {}

MPI_Offset View::byte_offset(Bytes stream) const {
    MPI_Offset found = displacement;
    each_block(*this, stream, 1, [&](ByteAddress at, Bytes) {
        found = at;
        return false;
    });
    return found;
}

MPI_Offset View::etypes_in(MPI_Offset file_bytes) const {
    const std::int64_t rest = file_bytes - displacement;
    if (rest <= 0 || filetype->size() == 0) return 0;
    const std::int64_t extent = filetype->extent();
    // Whole tiles before the last one that the end may lie in, then block by block.
    const std::int64_t reach = std::max<std::int64_t>(filetype->true_lb() + filetype->true_extent(), extent);
    std::int64_t tile = extent > 0 ? std::max<std::int64_t>((rest - reach) / extent, 0) : 0;
    Bytes stream = static_cast<Bytes>(tile) * filetype->size();
    for (bool more = true; more; ++tile) {
        more = false;
        each_block(*this, static_cast<Bytes>(tile) * filetype->size(), filetype->size(),
                   [&](ByteAddress at, Bytes bytes) {
                       if (at >= file_bytes) return false;
                       stream += std::min(bytes, static_cast<Bytes>(file_bytes - at));
                       more = true;
                       return true;
                   });
    }
    return static_cast<MPI_Offset>((stream + etype->size() - 1) / etype->size());
}

Bytes View::size_of(const Datatype& type) const { return external ? external_size(type) : type.size(); }

MPI_Offset View::extent_of(const Datatype& type) const {
    const bool same = !external || external_size(type) == type.size();
    return same ? type.extent() : static_cast<MPI_Offset>(external_size(type));
}

Moved read_stream(int descriptor, const View& view, Bytes first, Bytes bytes, std::byte* to) {
    Moved moved;
    each_block(view, first, bytes, [&](ByteAddress offset, Bytes block) {
        std::byte* const at = to + moved.bytes;
        return move_block(moved, offset, block, [&](Bytes done, Bytes left, ByteAddress from) {
            return ::pread(descriptor, at + done, left, from);
        });
    });
    return moved;
}

Moved write_stream(int descriptor, const View& view, Bytes first, Bytes bytes, const std::byte* from) {
    Moved moved;
    each_block(view, first, bytes, [&](ByteAddress offset, Bytes block) {
        const std::byte* const at = from + moved.bytes;
        return move_block(moved, offset, block, [&](Bytes done, Bytes left, ByteAddress to) {
            return ::pwrite(descriptor, at + done, left, to);
        });
    });
    return moved;
}

} // namespace orrery::emulate::mpi
