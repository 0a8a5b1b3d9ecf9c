// Allgathers in which every rank sends its block to every other: p - 1 messages each way, and their orders.
#include "collectives/allgather/allgather.h"
#include "collectives/common.h"

namespace orrery::coll {

Blocks gathered_blocks(const CollectiveCall& call) {
    const bool listed = call.operation == Collective::allgatherv || call.operation == Collective::gatherv;
    return listed ? Blocks::listed(call.receive_counts) : Blocks::equal(call.bytes);
}

Piece own_block(const CollectiveCall& call, const Blocks& blocks) {
    if (call.in_place) return blocks.piece(receive_buffer, call.rank);
    return {send_buffer, 0, blocks.bytes(call.rank)};
}

// SimGrid's default (smpi_nbc_impl.cpp, iallgather): everything posted at once.
Steps allgather_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = gathered_blocks(call);
    const Piece own = own_block(call, blocks);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) continue;
        co_yield isend(peer, own, 2 * peer);
        co_yield irecv(peer, blocks.piece(receive_buffer, peer), 2 * peer + 1);
    }
    co_yield wait_all();
}

// SimGrid, allgather-spreading-simple.cpp: the same, receives first, each rank beginning with its neighbour.
Steps allgather_spread_nonblocking(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = gathered_blocks(call);
    const Piece own = own_block(call, blocks);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = after(call.rank, i, call.size);
        co_yield irecv(peer, blocks.piece(receive_buffer, peer), 2 * peer + 1);
    }
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = after(call.rank, i, call.size);
        co_yield isend(peer, own, 2 * peer);
    }
    co_yield wait_all();
}

// In step i to the rank i further on, from the rank i before. SimGrid calls it ring.
Steps allgather_spread(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = gathered_blocks(call);
    const Piece own = own_block(call, blocks);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t source = before(call.rank, i, call.size);
        co_yield sendrecv(after(call.rank, i, call.size), own, source, blocks.piece(receive_buffer, source));
    }
}

// In step i with the rank whose number differs in the bits of i. SimGrid refuses what is no power of two; we
// spread.
Steps allgather_pairwise(CollectiveCall call, CollectiveTuning tuning) {
    if (!power_of_two(call)) {
        for (Steps all = allgather_spread(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    const Piece own = own_block(call, blocks);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = call.rank ^ i;
        co_yield sendrecv(peer, own, peer, blocks.piece(receive_buffer, peer));
    }
}

// Open MPI, coll_base_allgather.c, two_procs.
Steps allgather_two_proc(CollectiveCall call, CollectiveTuning tuning) {
    return call.size == 2 ? allgather_spread(call, tuning) : allgather_by_ring(call, tuning);
}

} // namespace orrery::coll
