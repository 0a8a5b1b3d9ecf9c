// Where the bytes of a datatype are, in the order of its type map: a tree of repeated pieces.
//
// A vector of a million elements is one piece. Pieces that lie next to each other are joined, equal pieces at
// equal distances become one repeated piece. Each piece knows how many bytes come before it, so that the walk
// can begin anywhere in the packed form without passing over what is before.
#pragma once

#include "engine/ids.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace orrery::emulate::mpi {

struct Piece {
    std::int64_t offset = 0;      // of the first repetition, from where the enclosing repetition begins
    std::int64_t count = 1;       // repetitions
    std::int64_t stride = 0;      // bytes from one repetition to the next
    Bytes unit = 0;               // bytes of data in one repetition; never 0
    Bytes start = 0;              // bytes of data before this piece in one repetition of the enclosing piece
    std::uint32_t first_part = 0; // index in the layout
    std::uint32_t parts = 0;      // 0: a repetition is one block of `unit` bytes
};

// `piece` count times, every `stride` bytes, if that can be said as one piece; otherwise false.
inline bool repeat(Piece& piece, std::int64_t count, std::int64_t stride) {
    if (count == 1) return true;
    if (piece.count == 1) {
        if (piece.parts == 0 && stride == static_cast<std::int64_t>(piece.unit)) {
            piece.unit *= static_cast<Bytes>(count);
        } else {
            piece.count = count;
            piece.stride = stride;
        }
        return true;
    }
    if (stride != piece.count * piece.stride) return false;
    piece.count *= count;
    return true;
}

class Layout {
  public:
    Layout() = default;
    explicit Layout(Bytes block) {
        if (block != 0) all_.push_back({.unit = block});
    }

    // What it consists of, in order.
    [[nodiscard]] std::span<const Piece> pieces() const { return std::span(all_).subspan(roots_); }
    [[nodiscard]] std::span<const Piece> parts(const Piece& piece) const {
        return std::span(all_).subspan(piece.first_part, piece.parts);
    }
    // All data in one block: its piece, otherwise null.
    [[nodiscard]] const Piece* block() const {
        const bool one = all_.size() == 1 && all_[0].count == 1 && all_[0].parts == 0;
        return one ? all_.data() : nullptr;
    }
    [[nodiscard]] std::size_t piece_count() const { return all_.size(); } // of the whole tree: what it costs

  private:
    friend class LayoutBuilder;
    std::vector<Piece> all_; // those of `pieces()` last
    std::size_t roots_ = 0;
};

class LayoutBuilder {
  public:
    struct Place {
        std::int64_t offset;
        std::int64_t copies; // one extent apart
        std::int64_t groups; // of copies, `stride` apart
        std::int64_t stride;
    };
    // `layout` must live until finish().
    void add(const Layout& layout, Bytes size, std::int64_t extent, const Place& place);
    Layout finish();

  private:
    Piece import(const Layout& layout, Bytes size);
    void repeat_or_wrap(Piece& piece, std::int64_t count, std::int64_t stride);
    void append(const Piece& piece);
    void fold_last();

    Layout result_;
    std::vector<Piece> roots_;
    std::unordered_map<const Layout*, std::uint32_t> imported_; // where its pieces begin in the result
};

} // namespace orrery::emulate::mpi
