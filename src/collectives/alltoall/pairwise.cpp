// All-to-alls in p - 1 steps, in each of which a rank sends to one and receives from one.
#include "collectives/alltoall/alltoall.h"
#include "collectives/barrier/barrier.h"
#include "collectives/common.h"

namespace orrery::coll {

namespace {

// Step i goes to the rank i further on and comes from the rank i before, or goes to and comes from the rank
// whose number differs in the bits of i.
enum class Partner { on_the_ring, by_bits };
// What happens between the steps (SimGrid, from STAR-MPI).
enum class Between { nothing, one_barrier_before, barriers, light_barriers };

Steps steps_of(CollectiveCall call, Partner partner, Between between) {
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    const auto target = [&](std::uint32_t i) {
        return partner == Partner::by_bits ? call.rank ^ i : after(call.rank, i, call.size);
    };
    const auto source = [&](std::uint32_t i) {
        return partner == Partner::by_bits ? call.rank ^ i : before(call.rank, i, call.size);
    };
    for (std::uint32_t i = 0; i < call.size; ++i) {
        if (between == Between::barriers || (between == Between::one_barrier_before && i == 0)) {
            for (Steps all = barrier_linear(call, {}); const Step* step = all.next();) co_yield *step;
        }
        if (i == 0) {
            co_yield copy(exchange.outgoing(call.rank), exchange.incoming(call.rank));
            continue;
        }
        co_yield sendrecv(target(i), exchange.outgoing(target(i)), source(i), exchange.incoming(source(i)));
        if (between == Between::light_barriers && i + 1 < call.size) { // a byte to say "I am ready for you"
            constexpr std::uint8_t token = first_temporary + 1;
            co_yield sendrecv(source(i + 1), part(token, 0, 1), target(i + 1), part(token, 1, 1));
        }
    }
}

Partner by_bits_if_possible(const CollectiveCall& call) {
    return power_of_two(call) ? Partner::by_bits : Partner::on_the_ring;
}

} // namespace

// Open MPI, coll_base_alltoall.c, pairwise.
Steps alltoall_pairwise(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, Partner::on_the_ring, Between::nothing);
}
// MPICH, alltoall_intra_pairwise.c
Steps alltoall_pairwise_exchange(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, by_bits_if_possible(call), Between::nothing);
}
Steps alltoall_pairwise_light_barrier(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, Partner::on_the_ring, Between::light_barriers);
}
Steps alltoall_pairwise_barriers(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, Partner::on_the_ring, Between::barriers);
}
Steps alltoall_pairwise_one_barrier(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, Partner::on_the_ring, Between::one_barrier_before);
}
Steps alltoall_exchange_light_barrier(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, by_bits_if_possible(call), Between::light_barriers);
}
Steps alltoall_exchange_barriers(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, by_bits_if_possible(call), Between::barriers);
}
Steps alltoall_exchange_one_barrier(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return steps_of(call, by_bits_if_possible(call), Between::one_barrier_before);
}

// Open MPI, coll_base_alltoall.c, two_procs. More than two ranks go pairwise.
Steps alltoall_two_proc(CollectiveCall call, CollectiveTuning tuning) {
    return alltoall_pairwise(call, tuning);
}

// MPICH, alltoall_intra_pairwise_sendrecv_replace.c: for calls in place; pairs of blocks swap, in the order of
// the ranks, with room for one block only. Other calls go pairwise.
Steps alltoall_swap_in_place(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.in_place) {
        for (Steps all = alltoall_pairwise_exchange(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Exchange exchange = exchange_of(call);
    constexpr std::uint8_t room = first_temporary;
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) continue;
        const Piece block = exchange.incoming(peer);
        co_yield copy(block, part(room, 0, block.bytes));
        co_yield sendrecv(peer, part(room, 0, block.bytes), peer, block);
    }
}

} // namespace orrery::coll
