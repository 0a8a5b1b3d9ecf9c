// Passes over a part of the data of `count` elements of a layout, in the order of the type map.
//
// The sink is told of rows of equal blocks: row(address, bytes of a block, blocks, stride). Addresses are
// integers, since MPI_BOTTOM is the null pointer and offsets from it are absolute.
#pragma once

#include "mpi_library/datatype/layout.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace orrery::emulate::mpi {

using ByteAddress = std::intptr_t;

template <typename Sink> class Walk {
  public:
    Walk(const Layout& layout, Sink& sink) : layout_(layout), sink_(sink) {}

    // Bytes [first, first + bytes) of the packed form; the caller sees to it that they exist.
    void run(ByteAddress base, std::int64_t count, Bytes size, std::int64_t extent, Bytes first, Bytes bytes) {
        left_ = bytes;
        const auto roots = layout_.pieces();
        if (bytes == 0 || roots.empty()) return;
        if (roots.size() == 1) {
            if (Piece all = roots[0]; repeat(all, count, extent)) return piece(all, base, first);
        }
        auto element = static_cast<std::int64_t>(first / size);
        Bytes skip = first % size;
        for (; left_ != 0 && element < count; ++element, skip = 0) parts(roots, base + element * extent, skip);
    }

  private:
    void parts(std::span<const Piece> pieces, ByteAddress base, Bytes skip) {
        std::size_t at = 0;
        if (skip != 0) { // the last one that begins at or before it
            const auto after = std::upper_bound(pieces.begin(), pieces.end(), skip,
                                                [](Bytes wanted, const Piece& p) { return wanted < p.start; });
            at = static_cast<std::size_t>(after - pieces.begin()) - 1;
            skip -= pieces[at].start;
        }
        for (; left_ != 0 && at < pieces.size(); ++at, skip = 0) piece(pieces[at], base, skip);
    }

    void piece(const Piece& p, ByteAddress base, Bytes skip) {
        std::int64_t done = 0;
        if (skip >= p.unit) {
            done = static_cast<std::int64_t>(skip / p.unit);
            skip %= p.unit;
        }
        base += p.offset + done * p.stride;
        if (p.parts != 0) {
            for (; left_ != 0 && done < p.count; ++done, base += p.stride, skip = 0) {
                parts(layout_.parts(p), base, skip);
            }
            return;
        }
        if (skip != 0) {
            row(base + static_cast<ByteAddress>(skip), std::min(p.unit - skip, left_), 1, 0);
            ++done;
            base += p.stride;
        }
        if (const auto whole = std::min(p.count - done, static_cast<std::int64_t>(left_ / p.unit)); whole > 0) {
            row(base, p.unit, whole, p.stride);
            done += whole;
            base += whole * p.stride;
        }
        if (left_ != 0 && done < p.count) row(base, left_, 1, 0);
    }

    void row(ByteAddress at, Bytes unit, std::int64_t count, std::int64_t stride) {
        left_ -= unit * static_cast<Bytes>(count);
        sink_.row(at, unit, count, stride);
    }

    const Layout& layout_;
    Sink& sink_;
    Bytes left_ = 0;
};

} // namespace orrery::emulate::mpi
