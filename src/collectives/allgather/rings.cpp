// Allgathers in which blocks wander from neighbour to neighbour.
#include "collectives/allgather/allgather.h"
#include "collectives/common.h"
#include "collectives/phases.h"

namespace orrery::coll {

// Open MPI, coll_base_allgather.c, ring; MPICH, allgather_intra_ring.c.
Steps allgather_by_ring(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = gathered_blocks(call);
    if (!call.in_place) co_yield copy(own_block(call, blocks), blocks.piece(receive_buffer, call.rank));
    for (Steps ring = allgather_ring(everybody(call), blocks, receive_buffer);
         const Step* step = ring.next();) {
        co_yield *step;
    }
}

// SimGrid, allgather-NTSLR-NB.cpp: all receives are posted at the start.
Steps allgather_ring_posted(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = gathered_blocks(call);
    if (!call.in_place) co_yield copy(own_block(call, blocks), blocks.piece(receive_buffer, call.rank));
    const std::uint32_t left = before(call.rank, 1, call.size);
    const std::uint32_t right = after(call.rank, 1, call.size);
    for (std::uint32_t i = 1; i < call.size; ++i) {
        co_yield irecv(left, blocks.piece(receive_buffer, before(call.rank, i, call.size)), i);
    }
    for (std::uint32_t i = 1; i < call.size; ++i) {
        co_yield isend(right, blocks.piece(receive_buffer, before(call.rank, i - 1, call.size)), 0);
        co_yield wait(i);
        co_yield wait(0);
    }
}

// MPICH, allgatherv_intra_ring.c: the blocks follow one another in pieces of the size of the smallest block,
// but MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE at least, so that a large block does not hold up the ring.
Steps allgather_ring_pipelined(CollectiveCall call, CollectiveTuning tuning) {
    constexpr Bytes pipeline_message = 32768;
    const Blocks blocks = gathered_blocks(call);
    if (!call.in_place) co_yield copy(own_block(call, blocks), blocks.piece(receive_buffer, call.rank));
    const std::uint32_t left = before(call.rank, 1, call.size);
    const std::uint32_t right = after(call.rank, 1, call.size);
    Bytes most = ~Bytes{0};
    for (std::uint32_t i = 0; i < call.size; ++i) most = std::min(most, blocks.bytes(i));
    most = std::max(most, tuning.segment == 0 ? pipeline_message : tuning.segment);
    const Bytes total = blocks.offset(call.size);
    Bytes to_receive = total - blocks.bytes(call.rank);
    Bytes to_send = total - blocks.bytes(right);
    std::uint32_t outgoing = call.rank;
    std::uint32_t incoming = left;
    Bytes sent = 0; // of the outgoing block
    Bytes received = 0;
    while (to_send > 0 || to_receive > 0) {
        const Bytes send_now = to_send == 0 ? 0 : std::min(most, blocks.bytes(outgoing) - sent);
        const Bytes receive_now = to_receive == 0 ? 0 : std::min(most, blocks.bytes(incoming) - received);
        const Piece from = part(receive_buffer, blocks.offset(outgoing) + sent, send_now);
        const Piece to = part(receive_buffer, blocks.offset(incoming) + received, receive_now);
        if (send_now > 0 && receive_now > 0) {
            co_yield sendrecv(right, from, left, to);
        } else if (send_now > 0) {
            co_yield send(right, from);
        } else if (receive_now > 0) {
            co_yield recv(left, to);
        }
        to_send -= send_now;
        to_receive -= receive_now;
        sent += send_now;
        received += receive_now;
        if (sent == blocks.bytes(outgoing)) outgoing = before(outgoing, 1, call.size), sent = 0;
        if (received == blocks.bytes(incoming)) incoming = before(incoming, 1, call.size), received = 0;
    }
}

// SimGrid, allgatherv-mpich-ring.cpp
Steps simgrid_allgather_ring_pipelined(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return allgather_ring_pipelined(call, {Bytes{8} * 32768, 0});
}

namespace {

// Open MPI, coll_base_allgather.c, neighborexchange: pairs of neighbours swap, then always two blocks at a time
// with the neighbour on the other side (Chen et al. 2005). p / 2 steps; the size must be even.
Steps neighbor_exchange(CollectiveCall call) {
    const Blocks blocks = gathered_blocks(call);
    if (!call.in_place) co_yield copy(own_block(call, blocks), blocks.piece(receive_buffer, call.rank));
    const bool even = call.rank % 2 == 0;
    const std::uint32_t forth = after(call.rank, 1, call.size);
    const std::uint32_t back = before(call.rank, 1, call.size);
    const std::uint32_t neighbor[2] = {even ? forth : back, even ? back : forth};
    co_yield sendrecv(neighbor[0], blocks.piece(receive_buffer, call.rank), neighbor[0],
                      blocks.piece(receive_buffer, neighbor[0]));
    std::uint32_t outgoing = even ? call.rank : neighbor[0]; // the first block of a pair
    std::uint32_t incoming[2] = {outgoing, outgoing};
    for (std::uint32_t i = 1; i < call.size / 2; ++i) {
        const std::uint32_t way = i % 2;
        const bool onwards = even == (way == 0);
        incoming[way] = onwards ? after(incoming[way], 2, call.size) : before(incoming[way], 2, call.size);
        co_yield sendrecv(neighbor[way], blocks.piece(receive_buffer, outgoing, 2), neighbor[way],
                          blocks.piece(receive_buffer, incoming[way], 2));
        outgoing = incoming[way];
    }
}

} // namespace

Steps allgather_neighbor_exchange(CollectiveCall call, CollectiveTuning tuning) {
    return even_size(call) ? neighbor_exchange(call) : allgather_by_ring(call, tuning);
}

// As SimGrid does for odd sizes: its "ring" spreads.
Steps allgather_neighbor_or_spread(CollectiveCall call, CollectiveTuning tuning) {
    return even_size(call) ? neighbor_exchange(call) : allgather_spread(call, tuning);
}

} // namespace orrery::coll
