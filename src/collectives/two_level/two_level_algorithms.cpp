#include "collectives/two_level/two_level_algorithms.h"

#include "collectives/common.h"
#include "collectives/selectors.h"
#include "collectives/two_level.h"
#include "collectives/two_level/group.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t two_level_work = 64; // behind the temporaries of whatever runs inside
constexpr std::uint8_t more = 65;

std::uint32_t count(const std::vector<std::uint32_t>& ranks) {
    return static_cast<std::uint32_t>(ranks.size());
}

// A part among the ranks of this node, or among the leaders.
Steps part_of(const CollectiveCall& call, Collective operation, const std::vector<std::uint32_t>& ranks,
              std::uint32_t place, std::uint32_t root) {
    const CollectiveCall inner = within(call, operation, place, count(ranks), root);
    return select_mpich(inner).run(inner);
}

} // namespace

// MPICH, barrier_intra_smp.c: within the nodes, among the leaders, and a byte to all on the node.
Steps two_level_barrier(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Nodes nodes(call);
    for (Steps level = part_of(call, Collective::barrier, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
    if (nodes.is_leader()) {
        for (Steps level = part_of(call, Collective::barrier, nodes.leaders, nodes.node, 0);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders);
        }
    }
    call.bytes = 1;
    for (Steps level = part_of(call, Collective::bcast, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members, two_level_work);
    }
}

// MPICH, ch4_coll_impl.h, Bcast composition alpha: the root's leader first, then the leaders, then the nodes.
Steps two_level_bcast(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Nodes nodes(call);
    if (nodes.on_root_node() && nodes.root_local != 0) {
        if (call.rank == call.root) co_yield send(nodes.members.front(), whole(receive_buffer, call));
        if (nodes.is_leader()) co_yield recv(call.root, whole(receive_buffer, call));
    }
    if (nodes.is_leader()) {
        for (Steps level = part_of(call, Collective::bcast, nodes.leaders, nodes.node, nodes.root_node);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders);
        }
    }
    for (Steps level = part_of(call, Collective::bcast, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
}

// The same, composition beta: the root's node is done first, if the root is not its leader.
Steps two_level_bcast_local_first(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Nodes nodes(call);
    const bool first = nodes.on_root_node() && nodes.root_local != 0;
    if (first) {
        for (Steps level = part_of(call, Collective::bcast, nodes.members, nodes.local, nodes.root_local);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.members);
        }
    }
    if (nodes.is_leader()) {
        for (Steps level = part_of(call, Collective::bcast, nodes.leaders, nodes.node, nodes.root_node);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders);
        }
    }
    if (first) co_return;
    for (Steps level = part_of(call, Collective::bcast, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
}

// MPICH, ch4_coll_impl.h, Reduce composition beta: each node to its leader, the leaders to the root's leader,
// which sends it to the root.
Steps two_level_reduce(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = named(Collective::reduce, "binomial_blocking")->run(call, tuning);
             const Step* step = all.next();) {
            co_yield *step;
        }
        co_return;
    }
    const Nodes nodes(call);
    co_yield copy(whole(input_of(call), call), whole(two_level_work, call));
    CollectiveCall inner = call;
    inner.in_place = true; // in `two_level_work`
    for (Steps level = part_of(inner, Collective::reduce, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members, two_level_work);
    }
    if (nodes.is_leader()) {
        for (Steps level = part_of(inner, Collective::reduce, nodes.leaders, nodes.node, nodes.root_node);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders, two_level_work);
        }
    }
    const std::uint32_t leader = nodes.leaders[nodes.root_node];
    if (call.rank == call.root) {
        co_yield call.rank == leader ? copy(whole(two_level_work, call), whole(receive_buffer, call))
                                     : recv(leader, whole(receive_buffer, call));
    } else if (call.rank == leader) {
        co_yield send(call.root, whole(two_level_work, call));
    }
}

// The same, composition alpha: the root's node is left to the end; what its leader gets from the others counts
// as its own.
Steps two_level_reduce_root_last(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = two_level_reduce(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Nodes nodes(call);
    co_yield copy(whole(input_of(call), call), whole(two_level_work, call));
    CollectiveCall inner = call;
    inner.in_place = true;
    if (!nodes.on_root_node()) {
        for (Steps level = part_of(inner, Collective::reduce, nodes.members, nodes.local, 0);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.members, two_level_work);
        }
    }
    if (nodes.is_leader()) {
        for (Steps level = part_of(inner, Collective::reduce, nodes.leaders, nodes.node, nodes.root_node);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders, two_level_work);
        }
    }
    if (!nodes.on_root_node()) co_return;
    for (Steps level = part_of(inner, Collective::reduce, nodes.members, nodes.local, nodes.root_local);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members, two_level_work);
    }
    if (call.rank == call.root) co_yield copy(whole(two_level_work, call), whole(receive_buffer, call));
}

// MPICH, ch4_coll_impl.h, Allreduce composition alpha; allreduce_intra_smp.c
Steps two_level_allreduce(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = named(Collective::allreduce, "recursive_doubling")->run(call, tuning);
             const Step* step = all.next();) {
            co_yield *step;
        }
        co_return;
    }
    const Nodes nodes(call);
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(receive_buffer, call));
    CollectiveCall inner = call;
    inner.in_place = true;
    for (Steps level = part_of(inner, Collective::reduce, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
    if (nodes.is_leader()) {
        for (Steps level = part_of(inner, Collective::allreduce, nodes.leaders, nodes.node, 0);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders);
        }
    }
    for (Steps level = part_of(inner, Collective::bcast, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
}

// MPICH, scan_intra_smp.c: within the node; the last one's sum is the node's, of which the leaders make a scan;
// what all nodes before have is passed on to the next leader, told on its node and put before each rank's own.
// Only if the ranks of each node follow one another; otherwise recursive doubling.
Steps two_level_scan(CollectiveCall call, CollectiveTuning tuning) {
    if (!nodes_consecutive(call)) {
        for (Steps all = named(Collective::scan, "recursive_doubling")->run(call, tuning);
             const Step* step = all.next();) {
            co_yield *step;
        }
        co_return;
    }
    const Nodes nodes(call);
    for (Steps level = part_of(call, Collective::scan, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members);
    }
    const std::uint32_t last = nodes.members.back();
    if (count(nodes.members) > 1) {
        if (call.rank == last) co_yield send(nodes.members.front(), whole(receive_buffer, call));
        if (nodes.is_leader()) co_yield recv(last, whole(two_level_work, call));
    } else {
        co_yield copy(whole(receive_buffer, call), whole(two_level_work, call));
    }
    if (nodes.is_leader()) {
        CollectiveCall inner = call;
        inner.in_place = true;
        for (Steps level = part_of(inner, Collective::scan, nodes.leaders, nodes.node, 0);
             const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders, two_level_work);
        }
        if (nodes.node + 1 < count(nodes.leaders))
            co_yield isend(nodes.leaders[nodes.node + 1], whole(two_level_work, call), 0);
        if (nodes.node > 0) co_yield recv(nodes.leaders[nodes.node - 1], whole(more, call));
        co_yield wait_all();
    }
    if (nodes.node == 0) co_return;
    for (Steps level = part_of(call, Collective::bcast, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members, more);
    }
    co_yield reduce(whole(more, call), whole(receive_buffer, call));
}

// MVAPICH2's way: to the leader, among the leaders, to the node; the blocks lie node by node meanwhile.
Steps two_level_allgather(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Nodes nodes(call);
    std::vector<Bytes> node_bytes;
    for (std::size_t i = 0; i + 1 < nodes.first.size(); ++i) {
        node_bytes.push_back((nodes.first[i + 1] - nodes.first[i]) * call.bytes);
    }
    const Bytes here =
        nodes.first[nodes.node] * call.bytes; // where this node's blocks begin in `two_level_work`
    const Piece own =
        call.in_place ? part(receive_buffer, call.rank * call.bytes, call.bytes) : whole(send_buffer, call);
    co_yield copy(own, part(two_level_work, here + nodes.local * call.bytes, call.bytes));
    if (!nodes.is_leader()) {
        co_yield send(nodes.members.front(), own);
    } else {
        for (std::uint32_t i = 1; i < count(nodes.members); ++i) {
            co_yield irecv(nodes.members[i], part(two_level_work, here + i * call.bytes, call.bytes), i);
        }
        co_yield wait_all();
        CollectiveCall among = within(call, Collective::allgatherv, nodes.node, count(nodes.leaders), 0);
        among.receive_counts = node_bytes;
        among.in_place = true;
        for (Steps level = select_mpich(among).run(among); const Step* step = level.next();) {
            co_yield outside(*step, nodes.leaders, two_level_work);
        }
    }
    CollectiveCall all = call;
    all.bytes = call.size * call.bytes;
    for (Steps level = part_of(all, Collective::bcast, nodes.members, nodes.local, 0);
         const Step* step = level.next();) {
        co_yield outside(*step, nodes.members, two_level_work);
    }
    for (std::uint32_t i = 0; i < call.size; ++i) {
        co_yield copy(part(two_level_work, i * call.bytes, call.bytes),
                      part(receive_buffer, nodes.order[i] * call.bytes, call.bytes));
    }
}

} // namespace orrery::coll
