#include "collectives/phases.h"

#include "collectives/common.h"

namespace orrery::coll {

Party everybody(const CollectiveCall& call) { return {call.rank, call.size, 0}; }
Party from_the_root(const CollectiveCall& call) { return {from_root(call), call.size, call.root}; }

Steps nothing() { co_return; }

// MPICH, MPII_Scatter_for_bcast: empty parts are not sent.
Steps scatter_binomial(Party party, Blocks blocks, std::uint8_t buffer) {
    std::uint32_t mask = 1;
    for (; mask < party.size; mask *= 2) {
        if ((party.rank & mask) == 0) continue;
        const Piece mine = blocks.piece(buffer, party.rank, std::min(mask, party.size - party.rank));
        if (mine.bytes > 0) co_yield recv(party.actual(party.rank - mask), mine);
        break;
    }
    for (mask /= 2; mask > 0; mask /= 2) {
        const std::uint32_t child = party.rank + mask;
        if (child >= party.size) continue;
        const Piece theirs = blocks.piece(buffer, child, std::min(mask, party.size - child));
        if (theirs.bytes > 0) co_yield send(party.actual(child), theirs);
    }
}

Steps gather_binomial(Party party, Blocks blocks, std::uint8_t buffer) {
    for (std::uint32_t mask = 1; mask < party.size; mask *= 2) {
        if ((party.rank & mask) != 0) {
            const Piece mine = blocks.piece(buffer, party.rank, std::min(mask, party.size - party.rank));
            if (mine.bytes > 0) co_yield send(party.actual(party.rank - mask), mine);
            break;
        }
        const std::uint32_t child = party.rank + mask;
        if (child >= party.size) continue;
        const Piece theirs = blocks.piece(buffer, child, std::min(mask, party.size - child));
        if (theirs.bytes > 0) co_yield recv(party.actual(child), theirs);
    }
}

Steps allgather_ring(Party party, Blocks blocks, std::uint8_t buffer) {
    const std::uint32_t left = party.actual(before(party.rank, 1, party.size));
    const std::uint32_t right = party.actual(after(party.rank, 1, party.size));
    std::uint32_t outgoing = party.rank;
    for (std::uint32_t i = 1; i < party.size; ++i) {
        const std::uint32_t incoming = before(outgoing, 1, party.size);
        co_yield sendrecv(right, blocks.piece(buffer, outgoing), left, blocks.piece(buffer, incoming));
        outgoing = incoming;
    }
}

Steps allgather_doubling(Party party, Blocks blocks, std::uint8_t buffer) {
    for (std::uint32_t mask = 1; mask < party.size; mask *= 2) {
        // Groups of `mask` have all blocks of their own members; two groups exchange.
        const std::uint32_t mine = party.rank & ~(mask - 1);
        const std::uint32_t theirs = mine ^ mask;
        if (theirs >= party.size) continue;
        const std::uint32_t my_count = std::min(mask, party.size - mine);
        const std::uint32_t their_count = std::min(mask, party.size - theirs);
        const std::uint32_t partner = party.rank ^ mask;
        if (partner < party.size) {
            co_yield sendrecv(party.actual(partner), blocks.piece(buffer, mine, my_count),
                              party.actual(partner), blocks.piece(buffer, theirs, their_count));
        }
        if (their_count == mask) continue;
        // The other group is short: only the first `their_count` of ours met somebody. They pass it on, by
        // halves.
        for (std::uint32_t half = mask / 2; half > 0; half /= 2) {
            const std::uint32_t other = party.rank ^ half;
            const std::uint32_t served = (party.rank & ~(2 * half - 1)) + their_count;
            if (other > party.rank && party.rank < served && other >= served) {
                co_yield send(party.actual(other), blocks.piece(buffer, theirs, their_count));
            } else if (other < party.rank && other < served && party.rank >= served) {
                co_yield recv(party.actual(other), blocks.piece(buffer, theirs, their_count));
            }
        }
    }
}

} // namespace orrery::coll
