#include "collectives/gather/gather.h"

#include "collectives/common.h"
#include "collectives/phases.h"
#include "collectives/swapped_tree.h"

namespace orrery::coll {

namespace {

// Only the root knows all counts of a gatherv; the others ask for no block but their own.
Blocks gathered_blocks(const CollectiveCall& call) {
    const bool listed = call.operation == Collective::gatherv && !call.receive_counts.empty();
    return listed ? Blocks::listed(call.receive_counts) : Blocks::equal(call.bytes);
}

Piece given(const CollectiveCall& call) {
    const Blocks blocks = gathered_blocks(call);
    if (call.in_place) return blocks.piece(receive_buffer, call.rank);
    return {send_buffer, 0, blocks.bytes(call.rank)};
}

} // namespace

// All receives at once: MPICH, gatherv_allcomm_linear.c; SimGrid's default.
Steps gather_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.rank != call.root) {
        co_yield isend(call.root, given(call), 0);
        co_yield wait(0);
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    if (!call.in_place) co_yield copy(given(call), blocks.piece(receive_buffer, call.rank));
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) co_yield irecv(peer, blocks.piece(receive_buffer, peer), peer);
    }
    co_yield wait_all();
}

// LogGOPSim's generator: nothing waits for anything, and the root takes rank 0's place in the order. Of a
// gatherv, empty blocks are not sent.
Steps gather_linear_posted(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const bool all = call.operation == Collective::gather;
    const Piece own = given(call);
    if (call.rank != call.root) {
        if (all || own.bytes > 0) co_yield at_once(isend(call.root, own, 0));
        co_yield wait_all();
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = swap_root(i, call.root);
        const Piece block = blocks.piece(receive_buffer, peer);
        if (all || block.bytes > 0) co_yield at_once(irecv(peer, block, i));
    }
    co_yield wait_all();
}

// Open MPI, coll_base_gather.c, basic_linear: one after the other.
Steps gather_linear_blocking(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.rank != call.root) {
        co_yield send(call.root, given(call));
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) {
            co_yield recv(peer, blocks.piece(receive_buffer, peer));
        } else if (!call.in_place) {
            co_yield copy(given(call), blocks.piece(receive_buffer, peer));
        }
    }
}

// Open MPI, coll_base_gather.c, linear_sync: the root asks each rank in turn, so that no more than two blocks
// flow at a time: a first segment, which it waits for, and the rest.
Steps gather_linear_sync(CollectiveCall call, CollectiveTuning tuning) {
    const Bytes asked = tuning.segment == 0 ? 1024 : tuning.segment;
    const Bytes first = std::min(call.bytes, segment_bytes(asked, call.element, call.bytes));
    if (call.rank != call.root) {
        Piece block = given(call);
        co_yield recv(call.root, {});
        co_yield send(call.root, part(block.buffer, block.offset, first));
        co_yield send(call.root, part(block.buffer, block.offset + first, block.bytes - first));
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) continue;
        const Piece block = blocks.piece(receive_buffer, peer);
        co_yield irecv(peer, part(receive_buffer, block.offset, first), call.size);
        co_yield send(peer, {});
        co_yield irecv(peer, part(receive_buffer, block.offset + first, block.bytes - first), peer);
        co_yield wait(call.size);
    }
    if (!call.in_place) co_yield copy(given(call), blocks.piece(receive_buffer, call.rank));
    co_yield wait_all();
}

// SimGrid, gather-ompi.cpp
Steps simgrid_gather_linear_sync(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return gather_linear_sync(call, {Bytes{call.bytes > 92160 ? 32768U : 1024U}, 0});
}

// Open MPI, coll_base_gather.c, binomial; MPICH, gather_intra_binomial.c. The blocks are counted from the root.
Steps gather_by_binomial(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Party party = from_the_root(call);
    const Blocks blocks = Blocks::equal(call.bytes);
    if (party.rank % 2 == 1) { // a leaf needs no room
        if (call.bytes > 0) co_yield send(party.actual(party.rank - 1), given(call));
        co_return;
    }
    const bool direct = call.root == 0 && call.rank == 0;
    const std::uint8_t buffer = direct ? receive_buffer : first_temporary;
    if (!(direct && call.in_place)) co_yield copy(given(call), blocks.piece(buffer, party.rank));
    for (Steps up = gather_binomial(party, blocks, buffer); const Step* step = up.next();) co_yield *step;
    if (party.rank != 0 || direct) co_return;
    const std::uint32_t behind = call.size - call.root; // blocks of the root and those behind it
    co_yield copy(blocks.piece(buffer, 0, behind), blocks.piece(receive_buffer, call.root, behind));
    if (call.root > 0)
        co_yield copy(blocks.piece(buffer, behind, call.root), blocks.piece(receive_buffer, 0, call.root));
}

} // namespace orrery::coll
