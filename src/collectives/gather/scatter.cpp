#include "collectives/common.h"
#include "collectives/gather/gather.h"
#include "collectives/phases.h"
#include "collectives/swapped_tree.h"
#include "collectives/tree.h"

namespace orrery::coll {

namespace {

Blocks blocks_to_scatter(const CollectiveCall& call) {
    const bool listed = call.operation == Collective::scatterv && !call.send_counts.empty();
    return listed ? Blocks::listed(call.send_counts) : Blocks::equal(call.bytes);
}

} // namespace

// All sends at once: MPICH, scatterv_allcomm_linear.c; SimGrid's default and its ompi_linear_nb.
Steps scatter_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.rank != call.root) {
        co_yield recv(call.root, part(receive_buffer, 0, call.bytes));
        co_return;
    }
    const Blocks blocks = blocks_to_scatter(call);
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) {
            co_yield isend(peer, blocks.piece(send_buffer, peer), peer);
        } else if (!call.in_place) {
            co_yield copy(blocks.piece(send_buffer, peer), part(receive_buffer, 0, blocks.bytes(peer)));
        }
    }
    co_yield wait_all();
}

// LogGOPSim's generator: nothing waits for anything, and the root takes rank 0's place in the order. Of a
// scatterv, empty blocks are not sent.
Steps scatter_linear_posted(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const bool all = call.operation == Collective::scatter;
    if (call.rank != call.root) {
        if (all || call.bytes > 0) co_yield at_once(irecv(call.root, part(receive_buffer, 0, call.bytes), 0));
        co_yield wait_all();
        co_return;
    }
    const Blocks blocks = blocks_to_scatter(call);
    const Piece own = blocks.piece(send_buffer, call.rank);
    if (!call.in_place) co_yield copy(own, part(receive_buffer, 0, own.bytes));
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = swap_root(i, call.root);
        const Piece block = blocks.piece(send_buffer, peer);
        if (all || block.bytes > 0) co_yield at_once(isend(peer, block, i));
    }
    co_yield wait_all();
}

// Open MPI, coll_base_scatter.c, linear_nb: as many sends at a time as `fanout` says (coll_base_scatter's
// default 0 means all but one).
Steps scatter_linear_batched(CollectiveCall call, CollectiveTuning tuning) {
    if (call.rank != call.root || tuning.fanout == 0) {
        for (Steps all = scatter_linear(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Blocks blocks = blocks_to_scatter(call);
    std::uint32_t under_way = 0;
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) {
            if (!call.in_place) {
                co_yield copy(blocks.piece(send_buffer, peer), part(receive_buffer, 0, blocks.bytes(peer)));
            }
            continue;
        }
        co_yield isend(peer, blocks.piece(send_buffer, peer), peer);
        if (++under_way < tuning.fanout) continue;
        co_yield wait_all();
        under_way = 0;
    }
    co_yield wait_all();
}

// Open MPI, coll_base_scatter.c, basic_linear: one after the other.
Steps scatter_linear_blocking(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.rank != call.root) {
        co_yield recv(call.root, part(receive_buffer, 0, call.bytes));
        co_return;
    }
    const Blocks blocks = blocks_to_scatter(call);
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) {
            co_yield send(peer, blocks.piece(send_buffer, peer));
        } else if (!call.in_place) {
            co_yield copy(blocks.piece(send_buffer, peer), part(receive_buffer, 0, blocks.bytes(peer)));
        }
    }
}

namespace {

// Binomial, blocks counted from the root; `small_first`: the order in which a rank serves its children.
Steps binomial(CollectiveCall call, bool small_first) {
    const Party party = from_the_root(call);
    const Blocks blocks = Blocks::equal(call.bytes);
    const bool direct = call.rank == call.root && call.root == 0;
    const std::uint8_t buffer = direct ? send_buffer : first_temporary;
    if (party.rank % 2 == 1) { // a leaf
        if (call.bytes > 0) co_yield recv(party.actual(party.rank - 1), part(receive_buffer, 0, call.bytes));
        co_return;
    }
    if (party.rank == 0 && !direct) {
        const std::uint32_t behind = call.size - call.root;
        co_yield copy(blocks.piece(send_buffer, call.root, behind), blocks.piece(buffer, 0, behind));
        co_yield copy(blocks.piece(send_buffer, 0, call.root), blocks.piece(buffer, behind, call.root));
    }
    if (!small_first) {
        for (Steps down = scatter_binomial(party, blocks, buffer); const Step* step = down.next();)
            co_yield *step;
    } else if (call.bytes > 0) {
        const std::uint32_t mine =
            party.rank == 0 ? party.size : party.rank & (~party.rank + 1); // of its subtree
        if (party.rank != 0) {
            co_yield recv(party.actual(party.rank - mine),
                          blocks.piece(buffer, party.rank, std::min(mine, party.size - party.rank)));
        }
        for (std::uint32_t mask = 1; mask < mine && party.rank + mask < party.size; mask *= 2) {
            const std::uint32_t child = party.rank + mask;
            co_yield send(party.actual(child), blocks.piece(buffer, child, std::min(mask, party.size - child)));
        }
    }
    if (!(call.rank == call.root && call.in_place)) {
        co_yield copy(blocks.piece(buffer, party.rank), part(receive_buffer, 0, call.bytes));
    }
}

} // namespace

// MPICH, scatter_intra_binomial.c
Steps scatter_by_binomial(CollectiveCall call, CollectiveTuning /*tuning*/) { return binomial(call, false); }

// Open MPI, coll_base_scatter.c, binomial
Steps scatter_binomial_small_first(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return binomial(call, true);
}

} // namespace orrery::coll
