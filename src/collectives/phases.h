// Halves of collectives: what several algorithms are put together from.
//
// A phase works within one buffer, in which the data lie as blocks, one per member of the party.
#pragma once

#include "collectives/blocks.h"
#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

// The ranks of a communicator, counted from one of them.
struct Party {
    std::uint32_t rank = 0; // this one's number
    std::uint32_t size = 1;
    std::uint32_t first = 0; // the rank whose number is 0

    [[nodiscard]] std::uint32_t actual(std::uint32_t number) const {
        return static_cast<std::uint32_t>((std::uint64_t{number} + first) % size);
    }
};
Party everybody(const CollectiveCall& call); // counted from rank 0
Party from_the_root(const CollectiveCall& call);

Steps nothing();

// Number 0 has all blocks; afterwards each has its own and, on the way, those of its subtree. Binomial.
Steps scatter_binomial(Party party, Blocks blocks, std::uint8_t buffer);
// The other way round: number 0 gets all.
Steps gather_binomial(Party party, Blocks blocks, std::uint8_t buffer);
// Each has its own block; afterwards all have all.
Steps allgather_ring(Party party, Blocks blocks, std::uint8_t buffer);
// The same in exchanges of doubling size. If the number is not a power of two, those who lack a partner are
// served by their neighbours after each exchange (MPICH).
Steps allgather_doubling(Party party, Blocks blocks, std::uint8_t buffer);

} // namespace orrery::coll
