// Halves of reductions: reduce-scatter by halving among a power of two of ranks, and the ways back.
//
// The data are halved log p times; which half a rank keeps is said by one bit of its number for each time, so
// that in the end every rank has one part of p. The ways of cutting differ between libraries; the steps are the
// same.
#pragma once

#include "collectives/blocks.h"
#include "collectives/call.h"
#include "collectives/folded.h"
#include "collectives/step.h"

namespace orrery::coll {

class Halving {
  public:
    // By the low bits first: neighbours exchange the large halves. Operands are then combined in order.
    // By the high bits first: part i is that of number i.
    enum class Bits : std::uint8_t { low_first, high_first };

    // Into the given blocks, as many as there are numbers.
    static Halving of_blocks(Folded fold, Blocks blocks, Bits bits) {
        return Halving(fold, blocks, 0, 0, bits, false);
    }
    // Half of the elements each time, rounded down for the lower half (Open MPI).
    static Halving of_elements(Folded fold, Bytes all, Bytes element, Bits bits) {
        return Halving(fold, Blocks::equal(0), all, element, bits, true);
    }
    // Blocks of all ranks, those of a pair together (reduce-scatter): `blocks` are those of the ranks.
    static Halving of_pairs(Folded fold, Blocks blocks, Bits bits) {
        Halving halving(fold, blocks, 0, 0, bits, false);
        halving.pairs_ = true;
        return halving;
    }

    [[nodiscard]] const Folded& fold() const { return fold_; }
    [[nodiscard]] std::uint32_t levels() const {
        return static_cast<std::uint32_t>(std::countr_zero(fold_.inner()));
    }
    // The bit that decides at this level.
    [[nodiscard]] std::uint32_t bit(std::uint32_t level) const {
        return bits_ == Bits::low_first ? 1U << level : fold_.inner() >> (level + 1);
    }
    // What a number has after being halved `level` times.
    [[nodiscard]] Piece window(std::uint8_t buffer, std::uint32_t number, std::uint32_t level) const;

  private:
    Halving(Folded fold, Blocks blocks, Bytes all, Bytes element, Bits bits, bool elements)
        : fold_(fold), blocks_(blocks), all_(all), element_(element == 0 || all % element != 0 ? 1 : element),
          bits_(bits), elements_(elements) {}

    Folded fold_;
    Blocks blocks_;
    Bytes all_;
    Bytes element_;
    Bits bits_;
    bool elements_;
    bool pairs_ = false;
};

// All of these are for ranks inside the fold. `work` holds the data, `room` takes what comes in.
// Exchanges with waiting for the receive after a blocking send, as Open MPI's reduce-scatter does, or at once.
enum class ExchangeBy : std::uint8_t { sendrecv, irecv_send };
Steps reduce_scatter_halving(Halving halving, std::uint8_t work, std::uint8_t room, ExchangeBy by);
// The way back: everybody gets everything.
Steps allgather_unhalving(Halving halving, std::uint8_t work);
// The way back to one: `stand_in` is the rank that plays `number` 0 if the root stands outside the fold.
Steps gather_unhalving(Halving halving, std::uint8_t work, std::uint32_t number, std::uint32_t root_number,
                       std::uint32_t zero_is);

} // namespace orrery::coll
