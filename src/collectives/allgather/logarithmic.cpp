// Allgathers in log p steps: recursive doubling, recursive halving of distances, Bruck.
#include "collectives/allgather/allgather.h"
#include "collectives/common.h"
#include "collectives/phases.h"

namespace orrery::coll {

// MPICH, allgather_intra_recursive_doubling.c; Open MPI's recursivedoubling is the same for powers of two.
Steps allgather_recursive_doubling(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = gathered_blocks(call);
    if (!call.in_place) co_yield copy(own_block(call, blocks), blocks.piece(receive_buffer, call.rank));
    for (Steps all = allgather_doubling(everybody(call), blocks, receive_buffer);
         const Step* step = all.next();) {
        co_yield *step;
    }
}

// SimGrid, allgather-rhv.cpp: the blocks are first swapped to bit-reversed places; then the distance halves
// while the data double, so that what is held is always in one piece. For other sizes than powers of two:
// doubling.
Steps allgather_recursive_halving(CollectiveCall call, CollectiveTuning tuning) {
    if (!power_of_two(call)) {
        for (Steps all = allgather_recursive_doubling(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    std::uint32_t place = 0; // the bits of the rank, turned round
    for (std::uint32_t mask = 1; mask < call.size; mask *= 2)
        place = 2 * place + ((call.rank & mask) != 0 ? 1 : 0);
    const Piece own = own_block(call, blocks);
    if (place != call.rank) {
        co_yield sendrecv(place, own, place, blocks.piece(receive_buffer, place));
    } else if (!call.in_place) {
        co_yield copy(own, blocks.piece(receive_buffer, place));
    }
    std::uint32_t have = 1;
    for (std::uint32_t mask = call.size / 2; mask > 0; mask /= 2) {
        const std::uint32_t theirs = (call.rank & mask) != 0 ? place - have : place + have;
        co_yield sendrecv(call.rank ^ mask, blocks.piece(receive_buffer, place, have), call.rank ^ mask,
                          blocks.piece(receive_buffer, theirs, have));
        place = std::min(place, theirs);
        have *= 2;
    }
}

// LogGOPSim's generator: one block in each round, so that of p - 1 blocks lg(p) arrive.
Steps allgather_dissemination(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = gathered_blocks(call);
    const Piece own = own_block(call, blocks);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    std::uint32_t round = 0;
    for (std::uint64_t distance = 1; distance < call.size; distance *= 2, ++round) {
        const std::uint32_t from = before(call.rank, static_cast<std::uint32_t>(distance), call.size);
        if (round > 0) co_yield wait(2 * round - 1);
        co_yield after_wait(
            isend(after(call.rank, static_cast<std::uint32_t>(distance), call.size), own, 2 * round));
        co_yield at_once(irecv(from, blocks.piece(receive_buffer, from), 2 * round + 1));
    }
    co_yield wait_all();
}

// Bruck et al. 1997; MPICH, allgather_intra_brucks.c; Open MPI, coll_base_allgather.c, bruck. In a copy in
// which the own block comes first; with radix k, k - 1 messages a round (MPICH's k-brucks).
Steps allgather_bruck(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint32_t radix = tuning.fanout < 2 ? 2 : tuning.fanout;
    constexpr std::uint8_t turned = first_temporary;
    const Blocks blocks = gathered_blocks(call);
    const Bytes total = blocks.offset(call.size);
    const auto place =
        [&](std::uint32_t i) -> Bytes { // of the block of rank + i in the copy; i may be the size
        if (i == call.size) return total;
        const std::uint32_t block = after(call.rank, i, call.size);
        const Bytes own = blocks.offset(call.rank);
        return block >= call.rank ? blocks.offset(block) - own : total - own + blocks.offset(block);
    };
    const auto piece = [&](std::uint32_t first, std::uint32_t count) {
        return part(turned, place(first), place(first + count) - place(first));
    };
    const Piece own = own_block(call, blocks);
    co_yield copy(own, part(turned, 0, own.bytes));
    for (std::uint64_t have = 1; have < call.size; have *= radix) {
        for (std::uint64_t i = 1; i < radix && i * have < call.size; ++i) {
            const auto distance = static_cast<std::uint32_t>(i * have);
            const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(have, call.size - distance));
            const std::uint32_t to = before(call.rank, distance, call.size);
            const std::uint32_t from = after(call.rank, distance, call.size);
            if (radix == 2) {
                co_yield sendrecv(to, piece(0, count), from, piece(distance, count));
            } else {
                co_yield irecv(from, piece(distance, count), static_cast<std::uint32_t>(2 * i));
                co_yield isend(to, piece(0, count), static_cast<std::uint32_t>(2 * i + 1));
            }
        }
        if (radix != 2) co_yield wait_all();
    }
    const Bytes lower = blocks.offset(call.rank);
    co_yield copy(part(turned, 0, total - lower), part(receive_buffer, lower, total - lower));
    if (lower > 0) co_yield copy(part(turned, total - lower, lower), part(receive_buffer, 0, lower));
}

} // namespace orrery::coll
