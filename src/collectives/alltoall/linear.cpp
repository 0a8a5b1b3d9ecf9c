// All-to-alls that post their messages at once, all of them or some at a time.
#include "collectives/alltoall/alltoall.h"
#include "collectives/common.h"

namespace orrery::coll {

Exchange exchange_of(const CollectiveCall& call) {
    const bool listed = call.operation != Collective::alltoall;
    Exchange exchange{listed ? Blocks::listed(call.in_place ? call.receive_counts : call.send_counts)
                             : Blocks::equal(call.bytes),
                      listed ? Blocks::listed(call.receive_counts) : Blocks::equal(call.bytes),
                      call.in_place ? first_temporary : send_buffer};
    return exchange;
}

Step set_aside(const Exchange& exchange, const CollectiveCall& call) {
    return copy(exchange.in.piece(receive_buffer, 0, call.size),
                exchange.out.piece(exchange.buffer, 0, call.size));
}

// Open MPI, coll_base_alltoall.c, basic_linear: receives beginning with the next rank, sends with the one
// before.
Steps alltoall_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    co_yield copy(exchange.outgoing(call.rank), exchange.incoming(call.rank));
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = after(call.rank, i, call.size);
        co_yield irecv(peer, exchange.incoming(peer), 2 * peer);
    }
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = before(call.rank, i, call.size);
        co_yield isend(peer, exchange.outgoing(peer), 2 * peer + 1);
    }
    co_yield wait_all();
}

// Open MPI, coll_base_alltoallv.c, basic_linear: in the order of the ranks.
Steps alltoall_linear_in_order(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    co_yield copy(exchange.outgoing(call.rank), exchange.incoming(call.rank));
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) co_yield irecv(peer, exchange.incoming(peer), 2 * peer);
    }
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) co_yield isend(peer, exchange.outgoing(peer), 2 * peer + 1);
    }
    co_yield wait_all();
}

// LogGOPSim's generator: nothing waits for anything. Of a variant with counts, empty blocks are not sent.
Steps alltoall_linear_upwards(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Exchange exchange = exchange_of(call);
    const bool all = call.operation == Collective::alltoall;
    if (call.in_place) co_yield set_aside(exchange, call);
    co_yield copy(exchange.outgoing(call.rank), exchange.incoming(call.rank));
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t target = after(call.rank, i, call.size);
        const std::uint32_t source = before(call.rank, i, call.size);
        const Piece out = exchange.outgoing(target);
        const Piece in = exchange.incoming(source);
        if (all || out.bytes > 0) co_yield at_once(isend(target, out, 2 * i));
        if (all || in.bytes > 0) co_yield at_once(irecv(source, in, 2 * i + 1));
    }
    co_yield wait_all();
}

// Open MPI, coll_base_alltoall.c, linear_sync: as linear, but only `fanout` sends and receives at a time;
// whenever one is done, the next is posted. Here the oldest is waited for, where Open MPI takes any.
Steps alltoall_linear_sync(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint32_t others = call.size - 1;
    const std::uint32_t window = tuning.fanout == 0 ? others : std::min(others, tuning.fanout);
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    co_yield copy(exchange.outgoing(call.rank), exchange.incoming(call.rank));
    for (std::uint32_t i = 0; i < window; ++i) {
        const std::uint32_t peer = after(call.rank, i + 1, call.size);
        co_yield irecv(peer, exchange.incoming(peer), 2 * (i + 1));
    }
    for (std::uint32_t i = 0; i < window; ++i) {
        const std::uint32_t peer = before(call.rank, i + 1, call.size);
        co_yield isend(peer, exchange.outgoing(peer), 2 * (i + 1) + 1);
    }
    for (std::uint32_t i = window; i < others; ++i) {
        const std::uint32_t source = after(call.rank, i + 1, call.size);
        const std::uint32_t target = before(call.rank, i + 1, call.size);
        co_yield wait(2 * (i + 1 - window));
        co_yield irecv(source, exchange.incoming(source), 2 * (i + 1));
        co_yield wait(2 * (i + 1 - window) + 1);
        co_yield isend(target, exchange.outgoing(target), 2 * (i + 1) + 1);
    }
    co_yield wait_all();
}

// MPICH, alltoall_intra_scattered.c: in batches of `fanout` (MPIR_CVAR_ALLTOALL_THROTTLE), the own block among
// them as a message to itself. MVAPICH2's scatter_dest is the same with batches of 4.
Steps alltoall_scattered(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint32_t batch = std::min(call.size, tuning.fanout == 0 ? 32 : tuning.fanout);
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    for (std::uint32_t done = 0; done < call.size; done += batch) {
        const std::uint32_t now = std::min(batch, call.size - done);
        for (std::uint32_t i = done; i < done + now; ++i) {
            const std::uint32_t peer = after(call.rank, i, call.size);
            co_yield irecv(peer, exchange.incoming(peer), 2 * i);
        }
        for (std::uint32_t i = done; i < done + now; ++i) {
            const std::uint32_t peer = before(call.rank, i, call.size);
            co_yield isend(peer, exchange.outgoing(peer), 2 * i + 1);
        }
        co_yield wait_all();
    }
}

// SimGrid, alltoall-mvapich-scatter-dest.cpp
Steps simgrid_alltoall_scattered(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return alltoall_scattered(call, {0, 4});
}

// SimGrid, alltoallv-bruck.cpp, which in spite of its name is this: batches of 4, the own block copied.
Steps alltoall_scattered_others(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint32_t batch = std::min(call.size, tuning.fanout == 0 ? 4 : tuning.fanout);
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    co_yield copy(exchange.outgoing(call.rank), exchange.incoming(call.rank));
    for (std::uint32_t done = 0; done < call.size; done += batch) {
        const std::uint32_t now = std::min(batch, call.size - done);
        for (std::uint32_t i = std::max<std::uint32_t>(done, 1); i < done + now; ++i) {
            const std::uint32_t peer = after(call.rank, i, call.size);
            co_yield irecv(peer, exchange.incoming(peer), 2 * i);
        }
        for (std::uint32_t i = std::max<std::uint32_t>(done, 1); i < done + now; ++i) {
            const std::uint32_t peer = before(call.rank, i, call.size);
            co_yield isend(peer, exchange.outgoing(peer), 2 * i + 1);
        }
        co_yield wait_all();
    }
}

} // namespace orrery::coll
