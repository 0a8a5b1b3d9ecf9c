// Open MPI 4.1: which algorithm the default components take. coll/tuned decides by fixed rules; gatherv,
// scatterv, alltoallw, scan, exscan and the neighbourhood collectives are left to coll/basic, the nonblocking
// ones to coll/libnbc.
#include "collectives/common.h"
#include "collectives/openmpi_rules.h"
#include "collectives/selectors.h"
#include "engine/units.h"

#include <array>
#include <cassert>
#include <numeric>

namespace orrery::coll {

const Algorithm* named(Collective operation, std::string_view name) {
    const Algorithm* const found = find_algorithm(operation, name);
    assert(found != nullptr);
    return found;
}

Bytes total_bytes(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::gatherv:
    case Collective::allgatherv:
    case Collective::reduce_scatter:
        return std::accumulate(call.receive_counts.begin(), call.receive_counts.end(), Bytes{0});
    case Collective::scatterv:
        return std::accumulate(call.send_counts.begin(), call.send_counts.end(), Bytes{0});
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::reduce_scatter_block: return call.bytes * call.size;
    default: return call.bytes;
    }
}

Bytes bytes_decided_by(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::allgatherv: return total_bytes(call) / call.size;
    case Collective::reduce_scatter: return total_bytes(call);
    default: return call.bytes;
    }
}

namespace {

constexpr Bytes not_segmented = ~Bytes{0}; // the rules ask for no segments
constexpr std::size_t most_openmpi_numbers = 10;
using OpenmpiNumbers =
    std::array<const Algorithm*, most_openmpi_numbers>; // as Open MPI numbers them; 0 is none

OpenmpiNumbers openmpi_numbered(Collective operation, std::initializer_list<std::string_view> names) {
    OpenmpiNumbers table{};
    std::size_t i = 1;
    for (const std::string_view name : names) table[i++] = named(operation, name);
    return table;
}

// The numbers of coll_tuned_*_decision.c.
const OpenmpiNumbers& openmpi_numbers_of(Collective operation) {
    static const OpenmpiNumbers barrier =
        openmpi_numbered(Collective::barrier,
                         {"linear", "double_ring", "recursive_doubling", "dissemination", "two_proc", "tree"});
    static const OpenmpiNumbers bcast = openmpi_numbered(
        Collective::bcast, {"linear", "chain", "pipeline", "split_binary", "binary", "binomial", "knomial",
                            "scatter_allgather", "scatter_allgather_ring"});
    static const OpenmpiNumbers gather =
        openmpi_numbered(Collective::gather, {"linear_blocking", "binomial", "linear_sync"});
    static const OpenmpiNumbers scatter =
        openmpi_numbered(Collective::scatter, {"linear_blocking", "binomial_small_first", "linear_batched"});
    static const OpenmpiNumbers allgather =
        openmpi_numbered(Collective::allgather, {"gather_bcast", "bruck", "recursive_doubling", "ring",
                                                 "neighbor_exchange", "two_proc"});
    static const OpenmpiNumbers allgatherv = openmpi_numbered(
        Collective::allgatherv, {"gather_bcast", "bruck", "ring", "neighbor_exchange", "two_proc"});
    static const OpenmpiNumbers alltoall =
        openmpi_numbered(Collective::alltoall, {"linear", "pairwise", "bruck", "linear_sync", "two_proc"});
    static const OpenmpiNumbers alltoallv =
        openmpi_numbered(Collective::alltoallv, {"linear_in_order", "pairwise"});
    static const OpenmpiNumbers reduce =
        openmpi_numbered(Collective::reduce, {"linear", "chain", "pipeline", "binary", "binomial",
                                              "in_order_binary", "rabenseifner"});
    static const OpenmpiNumbers allreduce =
        openmpi_numbered(Collective::allreduce, {"linear", "nonoverlapping", "recursive_doubling", "ring",
                                                 "segmented_ring", "rabenseifner"});
    static const OpenmpiNumbers reduce_scatter = openmpi_numbered(
        Collective::reduce_scatter, {"nonoverlapping", "recursive_halving", "ring", "butterfly"});
    static const OpenmpiNumbers reduce_scatter_block =
        openmpi_numbered(Collective::reduce_scatter_block,
                         {"nonoverlapping", "recursive_doubling", "recursive_halving", "butterfly"});
    static const OpenmpiNumbers none{};
    switch (operation) {
    case Collective::barrier: return barrier;
    case Collective::bcast: return bcast;
    case Collective::gather: return gather;
    case Collective::scatter: return scatter;
    case Collective::allgather: return allgather;
    case Collective::allgatherv: return allgatherv;
    case Collective::alltoall: return alltoall;
    case Collective::alltoallv: return alltoallv;
    case Collective::reduce: return reduce;
    case Collective::allreduce: return allreduce;
    case Collective::reduce_scatter: return reduce_scatter;
    case Collective::reduce_scatter_block: return reduce_scatter_block;
    default: return none;
    }
}

// coll/basic
const Algorithm* basic(Collective operation) {
    switch (operation) {
    case Collective::gatherv: {
        static const Algorithm* const found = named(Collective::gatherv, "linear_blocking");
        return found;
    }
    case Collective::scatterv: {
        static const Algorithm* const found = named(Collective::scatterv, "linear_blocking");
        return found;
    }
    case Collective::alltoallw: {
        static const Algorithm* const found = named(Collective::alltoallw, "linear_in_order");
        return found;
    }
    default: return algorithms(operation).data(); // scan, exscan, neighbourhoods: linear, the first
    }
}

} // namespace

Choice select_openmpi(const CollectiveCall& call) {
    const int number = openmpi_decision(call.operation, call.commutative, call.size, bytes_decided_by(call));
    if (number == 0) return {basic(call.operation), {}};
    Choice choice{openmpi_numbers_of(call.operation)[static_cast<std::size_t>(number)], {not_segmented, 0}};
    // A chain of fanout 0 has one chain; recursive doubling wants a power of two (coll_base_allgather.c).
    if (call.operation == Collective::bcast || call.operation == Collective::reduce) {
        if (number == 2) choice.tuning.fanout = 1;
    } else if (call.operation == Collective::allgather && number == 3 && !power_of_two(call)) {
        choice.algorithm = openmpi_numbers_of(call.operation)[2];
    }
    return choice;
}

std::string openmpi_reason(const CollectiveCall& call) {
    const OpenMpiRule* const rule =
        openmpi_rule(call.operation, call.commutative, call.size, bytes_decided_by(call));
    if (rule == nullptr) return "coll/basic of Open MPI has this one only";
    std::string words = "coll_tuned_decision_fixed.c of Open MPI: ";
    words += rule->ranks_below == any_ranks ? "any more ranks"
                                            : "fewer than " + format_count(rule->ranks_below) + " ranks";
    if (rule->bytes_below != any_bytes) words += ", fewer than " + format_count(rule->bytes_below) + " bytes";
    if (!call.commutative) words += ", not commutative";
    return words + ": algorithm " + std::to_string(rule->algorithm);
}

// coll/libnbc: nbc_i*.c. Its schedules are rounds of nonblocking messages; ours have the same messages.
Choice select_openmpi_nonblocking(const CollectiveCall& call) {
    const Collective operation = call.operation;
    const auto take = [&](std::string_view name, CollectiveTuning tuning = {}) {
        return Choice{named(operation, name), tuning};
    };
    const bool pieces = call.bytes / std::max<Bytes>(call.element, 1) >= std::bit_floor(call.size);
    switch (operation) {
    case Collective::barrier: return take("dissemination");
    case Collective::bcast:
        if (call.size <= 4) return take("linear");
        if (call.bytes < 65536) return take("binomial");
        return take("pipeline", {Bytes{call.bytes < 524288 ? 8192U : 32768U}, 0});
    case Collective::reduce:
        if (call.commutative && call.size > 2 && pieces) return take("rabenseifner");
        if (call.size > 4 || call.bytes < 65536 || !call.commutative) return take("binomial_blocking");
        return take("pipeline", {8192, 0});
    case Collective::allreduce:
        if (call.size < 4 || call.bytes < 65536 || !call.commutative || call.in_place)
            return take("nonoverlapping");
        return take("rabenseifner");
    case Collective::alltoall: return take(call.in_place ? "swap_in_place" : "linear");
    case Collective::alltoallv:
    case Collective::alltoallw: return take(call.in_place ? "swap_in_place" : "linear_in_order");
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return take("nonoverlapping");
    default: return take("linear");
    }
}

} // namespace orrery::coll
