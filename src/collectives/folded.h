// A number of ranks folded to a power of two, as MPICH does it: of the first 2r ranks, r being what is above
// the power of two, one of each pair gives its data to the other and stands aside.
#pragma once

#include <bit>
#include <cstdint>

namespace orrery::coll {

class Folded {
  public:
    enum class Stays : std::uint8_t { even, odd };
    Folded(std::uint32_t rank, std::uint32_t size, Stays stays)
        : rank_(rank), inner_(std::bit_floor(size)), extra_(size - inner_), stays_(stays) {}

    [[nodiscard]] std::uint32_t inner() const { return inner_; } // the power of two
    [[nodiscard]] bool paired(std::uint32_t rank) const { return rank < 2 * extra_; }
    [[nodiscard]] bool paired() const { return paired(rank_); }
    [[nodiscard]] std::uint32_t partner() const { return rank_ ^ 1; } // of a paired rank
    [[nodiscard]] bool inside(std::uint32_t rank) const {
        return !paired(rank) || (rank % 2 == 0) == (stays_ == Stays::even);
    }
    [[nodiscard]] bool inside() const { return inside(rank_); }
    // A rank's number among those inside (of a pair: that of the one who stays), and back.
    [[nodiscard]] std::uint32_t number(std::uint32_t rank) const {
        return paired(rank) ? rank / 2 : rank - extra_;
    }
    [[nodiscard]] std::uint32_t number() const { return number(rank_); }
    [[nodiscard]] std::uint32_t actual(std::uint32_t number) const {
        return number < extra_ ? 2 * number + (stays_ == Stays::odd ? 1 : 0) : number + extra_;
    }

  private:
    std::uint32_t rank_;
    std::uint32_t inner_;
    std::uint32_t extra_;
    Stays stays_;
};

} // namespace orrery::coll
