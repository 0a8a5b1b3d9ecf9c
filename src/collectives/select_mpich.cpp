// MPICH 4.0, device ch4: compositions over nodes first (maint/tuning/coll/ch4/generic.json), then, for what
// runs among equals, the generic selection (maint/tuning/coll/mpir/generic.json).
#include "collectives/common.h"
#include "collectives/selectors.h"
#include "collectives/two_level.h"

namespace orrery::coll {

namespace {

Choice mpich_choice(const CollectiveCall& call, std::string_view name, CollectiveTuning tuning = {}) {
    return {named(call.operation, name), tuning};
}

// mpir/generic.json. An operation that does not commute is taken for one of the user's own (is_op_built_in=no).
Choice among_equals(const CollectiveCall& call) {
    const bool two_power = power_of_two(call);
    switch (call.operation) {
    case Collective::barrier: return mpich_choice(call, "dissemination");
    case Collective::bcast:
        if (call.size < 8 || call.bytes <= 12288) return mpich_choice(call, "binomial_blocking");
        if (two_power && call.bytes <= 524288) return mpich_choice(call, "scatter_doubling_bytes");
        return mpich_choice(call, "scatter_ring_bytes");
    case Collective::gather: return mpich_choice(call, "binomial");
    case Collective::scatter: return mpich_choice(call, "binomial");
    case Collective::allgather:
        if (two_power && total_bytes(call) < 524288) return mpich_choice(call, "recursive_doubling");
        if (!two_power && total_bytes(call) < 81920) return mpich_choice(call, "bruck");
        return mpich_choice(call, "ring");
    case Collective::allgatherv:
        if (two_power && total_bytes(call) < 524288) return mpich_choice(call, "recursive_doubling");
        if (!two_power && total_bytes(call) < 81920) return mpich_choice(call, "bruck");
        return mpich_choice(call, "ring_pipelined");
    case Collective::alltoall:
        if (call.in_place) return mpich_choice(call, "swap_in_place");
        if (call.size >= 8 && call.bytes <= 256) return mpich_choice(call, "bruck");
        return mpich_choice(call, call.bytes <= 32768 ? "scattered" : "pairwise_exchange", {0, 32});
    case Collective::alltoallv:
    case Collective::alltoallw:
        return mpich_choice(call, call.in_place ? "swap_in_place" : "scattered", {0, 32});
    case Collective::reduce:
        if (call.bytes <= 2048 || !call.commutative || count_of(call) < std::bit_floor(call.size)) {
            return mpich_choice(call, "binomial_blocking");
        }
        return mpich_choice(call, "reduce_scatter_gather");
    case Collective::allreduce:
        if (call.bytes <= 8 || !call.commutative || count_of(call) < std::bit_floor(call.size)) {
            return mpich_choice(call, "recursive_doubling");
        }
        return mpich_choice(call, "reduce_scatter_allgather");
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
        if (call.commutative)
            return mpich_choice(call, total_bytes(call) < 524288 ? "recursive_halving" : "pairwise");
        return mpich_choice(call, "noncommutative"); // which is recursive doubling where it does not apply
    case Collective::scan:
    case Collective::exscan: return mpich_choice(call, "recursive_doubling");
    default: return mpich_choice(call, "linear"); // gatherv, scatterv, neighbourhoods
    }
}

} // namespace

// ch4/generic.json
Choice select_mpich(const CollectiveCall& call) {
    if (call.node_of.empty() || !has_hierarchy(call)) return among_equals(call);
    switch (call.operation) {
    case Collective::barrier: return mpich_choice(call, "two_level");
    case Collective::bcast:
        if (call.size < 8 || call.bytes < 12288) return mpich_choice(call, "two_level");
        if (power_of_two(call) && call.bytes < 524288) return mpich_choice(call, "two_level_local_first");
        return among_equals(call);
    case Collective::reduce:
        if (call.commutative)
            return mpich_choice(call, call.bytes <= 2048 ? "two_level" : "two_level_root_last");
        return among_equals(call);
    case Collective::allreduce:
        if (call.commutative) return mpich_choice(call, "two_level");
        return among_equals(call);
    case Collective::scan:
        if (nodes_consecutive(call)) return mpich_choice(call, "two_level");
        return among_equals(call);
    default: return among_equals(call);
    }
}

std::string mpich_reason(const CollectiveCall& call) {
    const std::string_view chosen = select_mpich(call).algorithm->name;
    const bool by_nodes = chosen.starts_with("two_level");
    std::string words = by_nodes ? "maint/tuning/coll/ch4/generic.json of MPICH: several ranks on a node"
                                 : "maint/tuning/coll/mpir/generic.json of MPICH";
    if (power_of_two(call)) words += ", a power of two";
    if (!call.commutative) words += ", not commutative";
    return words;
}

// The schedules of the nonblocking ones (mpir/generic.json, collective=i*) follow the same algorithms, other
// limits.
Choice select_mpich_nonblocking(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::barrier: return mpich_choice(call, "recursive_doubling");
    case Collective::allreduce:
        if (call.bytes <= 2048) return mpich_choice(call, "recursive_doubling");
        return among_equals(call);
    case Collective::bcast:
    case Collective::reduce:
    case Collective::scan: return select_mpich(call);
    case Collective::alltoall:
        if (!call.in_place && call.size >= 8 && call.bytes <= 2048) return mpich_choice(call, "bruck");
        return among_equals(call);
    default: return among_equals(call);
    }
}

} // namespace orrery::coll
