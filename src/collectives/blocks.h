// How a buffer is cut into blocks, one per rank, in the order of the ranks and without gaps.
#pragma once

#include "collectives/step.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace orrery::coll {

// Where block i begins and how long it is. Nothing is stored per block: irregular counts stay where the caller
// has them, and the offset of the block asked for last is remembered, so that going round a ring costs O(1) a
// step.
class Blocks {
  public:
    // Blocks of the same size.
    static Blocks equal(Bytes each) { return Blocks(Kind::equal, each, 0, 1); }
    // As the counts of a v-variant say.
    static Blocks listed(std::span<const Bytes> counts) {
        Blocks blocks(Kind::listed, 0, static_cast<std::uint32_t>(counts.size()), 1);
        blocks.counts_ = counts;
        return blocks;
    }
    // `total` cut into `parts` between elements; the first ones have an element more if it does not come out
    // even.
    static Blocks even(Bytes total, std::uint32_t parts, Bytes element) {
        return Blocks(Kind::even, total, parts, element);
    }
    // Parts of `each` bytes; the last ones are shorter or empty.
    static Blocks filled(Bytes total, Bytes each) {
        Blocks blocks(Kind::filled, each, 0, 1);
        blocks.total_ = total;
        return blocks;
    }
    // Parts rounded down; the last has what remains.
    static Blocks last_longer(Bytes total, std::uint32_t parts, Bytes element) {
        return Blocks(Kind::last_longer, total, parts, element);
    }

    [[nodiscard]] Bytes bytes(std::uint32_t i) const {
        switch (kind_) {
        case Kind::equal: return value_;
        case Kind::listed: return counts_[i];
        case Kind::even: return (elements() / parts_ + (i < elements() % parts_ ? 1 : 0)) * element_;
        case Kind::filled: return std::min(total_ - offset(i), value_);
        case Kind::last_longer: return i + 1 == parts_ ? value_ - offset(i) : elements() / parts_ * element_;
        }
        return 0;
    }
    // i may be one past the last block.
    [[nodiscard]] Bytes offset(std::uint32_t i) const {
        switch (kind_) {
        case Kind::equal: return i * value_;
        case Kind::listed: return listed_offset(i);
        case Kind::even:
            return (i * (elements() / parts_) + std::min<Bytes>(i, elements() % parts_)) * element_;
        case Kind::filled: return std::min(total_, i * value_);
        case Kind::last_longer: return i == parts_ ? value_ : i * (elements() / parts_) * element_;
        }
        return 0;
    }
    [[nodiscard]] Piece piece(std::uint8_t buffer, std::uint32_t i) const {
        return {buffer, offset(i), bytes(i)};
    }
    // Of the blocks first, ..., first + count - 1.
    [[nodiscard]] Bytes bytes(std::uint32_t first, std::uint32_t count) const {
        return offset(first + count) - offset(first);
    }
    [[nodiscard]] Piece piece(std::uint8_t buffer, std::uint32_t first, std::uint32_t count) const {
        return {buffer, offset(first), bytes(first, count)};
    }

  private:
    enum class Kind : std::uint8_t { equal, listed, even, filled, last_longer };
    Blocks(Kind kind, Bytes value, std::uint32_t parts, Bytes element)
        : kind_(kind), parts_(parts), value_(value),
          element_(element == 0 || value % element != 0 ? 1 : element) {}

    [[nodiscard]] Bytes elements() const { return value_ / element_; }
    // Not inlined: GCC 12 sees accesses outside of the counts where there are none.
    [[nodiscard, gnu::noinline]] Bytes listed_offset(std::uint32_t i) const {
        if (i < known_ / 2) known_ = 0, known_offset_ = 0;
        for (; known_ < i && known_ < counts_.size(); ++known_) known_offset_ += counts_[known_];
        for (; known_ > i; --known_) known_offset_ -= counts_[known_ - 1];
        return known_offset_;
    }

    Kind kind_;
    std::uint32_t parts_;
    Bytes value_; // equal, filled: of each; even, last_longer: in all
    Bytes element_;
    Bytes total_ = 0;
    std::span<const Bytes> counts_;
    mutable std::uint32_t known_ = 0; // the block asked for last
    mutable Bytes known_offset_ = 0;
};

} // namespace orrery::coll
