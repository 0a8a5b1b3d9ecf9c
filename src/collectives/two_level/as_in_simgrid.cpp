// The two-level algorithms that SimGrid has from MVAPICH2, with what it runs on each level.
#include "collectives/two_level/as_in_simgrid.h"

#include "collectives/allreduce/allreduce.h"
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/reduce/reduce.h"
#include "collectives/two_level.h"
#include "collectives/two_level/group.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t simgrid_work = 64;

// reduce__mpich and allreduce__mpich on a communicator that is a level itself (smpi_mpich_selector.cpp).
Steps level_reduce(const CollectiveCall& call) {
    const bool small = count_of(call) < std::bit_floor(call.size) || call.bytes < 2048;
    return small ? reduce_binomial_blocking(call, {}) : reduce_scatter_gather_last_longer(call, {});
}

Steps level_allreduce(const CollectiveCall& call) {
    const bool large = call.bytes > 2048 && count_of(call) >= std::bit_floor(call.size);
    return large ? allreduce_scatter_allgather_last_longer(call, {}) : allreduce_recursive_doubling(call, {});
}

} // namespace

// SimGrid, reduce-mvapich-two-level.cpp
Steps simgrid_two_level_reduce(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = reduce_binomial_blocking(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Nodes nodes(call);
    const auto locals = static_cast<std::uint32_t>(nodes.members.size());
    const auto leaders = static_cast<std::uint32_t>(nodes.leaders.size());
    if (leaders == 1 && call.bytes > 2048) {
        for (Steps all = reduce_knomial(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    co_yield copy(whole(input_of(call), call), whole(simgrid_work, call));
    CollectiveCall inner = call;
    inner.in_place = true;
    if (locals > 1) {
        const CollectiveCall local = within(inner, Collective::reduce, nodes.local, locals, 0);
        for (Steps level = leaders == 1 ? reduce_linear(local, {}) : level_reduce(local);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.members, simgrid_work);
        }
    }
    if (nodes.is_leader() && leaders > 1) {
        for (Steps level =
                 level_reduce(within(inner, Collective::reduce, nodes.node, leaders, nodes.root_node));
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders, simgrid_work);
        }
    }
    const std::uint32_t leader = nodes.leaders[nodes.root_node];
    if (call.rank == call.root) {
        co_yield call.rank == leader ? copy(whole(simgrid_work, call), whole(receive_buffer, call))
                                     : recv(leader, whole(receive_buffer, call));
    } else if (call.rank == leader) {
        co_yield send(call.root, whole(simgrid_work, call));
    }
}

// SimGrid, allreduce-mvapich-two-level.cpp: each node makes an allreduce, the leaders another, and tell their
// nodes.
Steps simgrid_two_level_allreduce(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = allreduce_recursive_doubling(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Nodes nodes(call);
    const auto locals = static_cast<std::uint32_t>(nodes.members.size());
    const auto leaders = static_cast<std::uint32_t>(nodes.leaders.size());
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(receive_buffer, call));
    CollectiveCall inner = call;
    inner.in_place = true;
    for (Steps level = level_allreduce(within(inner, Collective::allreduce, nodes.local, locals, 0));
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
    if (nodes.is_leader() && leaders > 1) {
        for (Steps level =
                 allreduce_recursive_doubling(within(inner, Collective::allreduce, nodes.node, leaders, 0), {});
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders);
        }
    }
    for (Steps level = bcast_binomial_blocking(within(call, Collective::bcast, nodes.local, locals, 0), {});
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
}

} // namespace orrery::coll
