// SimGrid 3.32: its selectors, as they are and not as the libraries whose names they bear.
#include "collectives/common.h"
#include "collectives/openmpi_rules.h"
#include "collectives/selectors.h"
#include "collectives/two_level.h"
#include "engine/error.h"

#include <array>
#include <cassert>

namespace orrery::coll {

namespace {

constexpr std::size_t most_simgrid_numbers = 10;
using SimgridNumbers = std::array<const Algorithm*, most_simgrid_numbers>;

Choice chosen(const CollectiveCall& call, std::string_view name) { return {named(call.operation, name), {}}; }

// By SimGrid's own names.
SimgridNumbers simgrid_numbered(Collective operation, std::initializer_list<std::string_view> names) {
    SimgridNumbers table{};
    std::size_t i = 1;
    for (const std::string_view name : names) {
        table[i] = find_algorithm(operation, std::string("simgrid:").append(name));
        assert(table[i] != nullptr);
        ++i;
    }
    return table;
}

// smpi_openmpi_selector.cpp: the arrays `funcs`. What is linear, chain or two-proc in Open MPI is often
// something else.
const SimgridNumbers& simgrid_numbers_of(Collective operation) {
    static const SimgridNumbers barrier = simgrid_numbered(
        Collective::barrier, {"ompi_basic_linear", "ompi_basic_linear", "ompi_recursivedoubling", "ompi_bruck",
                              "ompi_two_procs", "ompi_tree"});
    static const SimgridNumbers bcast =
        simgrid_numbered(Collective::bcast, {"NTSL", "ompi_pipeline", "ompi_pipeline", "ompi_split_bintree",
                                             "NTSB", "binomial_tree", "mvapich2_knomial_intra_node",
                                             "scatter_rdb_allgather", "scatter_LR_allgather"});
    static const SimgridNumbers gather =
        simgrid_numbered(Collective::gather, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"});
    static const SimgridNumbers scatter =
        simgrid_numbered(Collective::scatter, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_nb"});
    static const SimgridNumbers allgather = simgrid_numbered(
        Collective::allgather, {"NTSLR_NB", "bruck", "rdb", "ring", "ompi_neighborexchange", "pair"});
    static const SimgridNumbers allgatherv = simgrid_numbered(
        Collective::allgatherv, {"GB", "ompi_bruck", "mpich_ring", "ompi_neighborexchange", "pair"});
    static const SimgridNumbers alltoall = simgrid_numbered(
        Collective::alltoall, {"basic_linear", "pair", "bruck", "basic_linear", "basic_linear"});
    static const SimgridNumbers alltoallv =
        simgrid_numbered(Collective::alltoallv, {"ompi_basic_linear", "pair"});
    static const SimgridNumbers reduce =
        simgrid_numbered(Collective::reduce, {"ompi_basic_linear", "ompi_chain", "ompi_pipeline", "ompi_binary",
                                              "ompi_binomial", "ompi_in_order_binary", "ompi_basic_linear"});
    static const SimgridNumbers allreduce = simgrid_numbered(
        Collective::allreduce, {"redbcast", "redbcast", "rdb", "lr", "ompi_ring_segmented", "rab_rdb"});
    static const SimgridNumbers reduce_scatter = simgrid_numbered(
        Collective::reduce_scatter, {"default", "ompi_basic_recursivehalving", "ompi_ring", "ompi_butterfly"});
    static const SimgridNumbers none{};
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
    default: return none;
    }
}

bool regular(const CollectiveCall& call) {
    return std::adjacent_find(call.receive_counts.begin(), call.receive_counts.end(), std::not_equal_to<>()) ==
           call.receive_counts.end();
}

[[noreturn]] void no_decision(std::string_view selector, const CollectiveCall& call) {
    throw UsageError(std::string("the selector ")
                         .append(selector)
                         .append(" has no decision for ")
                         .append(name_of(call.operation))
                         .append("; name an algorithm (--collective ")
                         .append(name_of(call.operation))
                         .append("=...) or take another selector"));
}

} // namespace

// smpi_default_selector.cpp; smpi_coll.cpp for what has one algorithm only.
Choice select_simgrid_default(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::barrier: return chosen(call, "linear");
    case Collective::bcast: return chosen(call, "binomial_blocking");
    case Collective::reduce: return chosen(call, call.commutative ? "linear_nonblocking" : "linear");
    case Collective::allreduce: return chosen(call, "reduce_bcast");
    case Collective::alltoall: return select_simgrid_ompi(call);
    case Collective::alltoallv:
    case Collective::alltoallw: return chosen(call, "linear_in_order");
    case Collective::reduce_scatter:
        if (!regular(call)) return select_simgrid_mpich(call);
        return chosen(call, "linear_scatter");
    case Collective::reduce_scatter_block: return chosen(call, "linear_scatter");
    case Collective::scan:
    case Collective::exscan: return chosen(call, "to_all_higher");
    default: return chosen(call, "linear");
    }
}

// smpi_openmpi_selector.cpp
Choice select_simgrid_ompi(const CollectiveCall& call) {
    int number = openmpi_decision(call.operation, call.commutative, call.size, bytes_decided_by(call));
    if (call.operation == Collective::reduce_scatter_block) number = 0; // SimGrid has none of its own
    if (number == 0) return select_simgrid_default(call);
    if (call.operation == Collective::reduce_scatter &&
        std::find(call.receive_counts.begin(), call.receive_counts.end(), Bytes{0}) !=
            call.receive_counts.end()) {
        number = 1;
    }
    return {simgrid_numbers_of(call.operation)[static_cast<std::size_t>(number)], {}};
}

// smpi_mpich_selector.cpp. Sizes of irregular operations are counted in elements there.
Choice select_simgrid_mpich(const CollectiveCall& call) {
    const Bytes elements = total_bytes(call) / std::max<Bytes>(call.element, 1);
    const bool enough = call.bytes / std::max<Bytes>(call.element, 1) >= std::bit_floor(call.size);
    switch (call.operation) {
    case Collective::barrier: return chosen(call, "dissemination");
    case Collective::bcast:
        if (nodes_uniform(call)) return chosen(call, "simgrid:SMP_binomial");
        if (call.bytes < 12288 || call.size <= 8) return chosen(call, "binomial_blocking");
        if (call.bytes < 524288 && call.size % 2 == 0) return chosen(call, "scatter_doubling_bytes");
        return chosen(call, "scatter_ring_bytes");
    case Collective::gather: return chosen(call, "binomial");
    case Collective::scatter: return chosen(call, "binomial_small_first");
    case Collective::allgather:
        if (power_of_two(call) && total_bytes(call) < 524288) return chosen(call, "recursive_doubling");
        return chosen(call, total_bytes(call) <= 81920 ? "bruck" : "spread");
    case Collective::allgatherv:
        if (power_of_two(call) && elements < 524288) return chosen(call, "recursive_doubling");
        return chosen(call, elements <= 81920 ? "bruck" : "simgrid_ring_pipelined");
    case Collective::alltoall:
        if (call.bytes < 256 && call.size >= 8) return chosen(call, "bruck");
        if (call.bytes < 32768) return chosen(call, "simgrid_scattered");
        return chosen(call, call.size % 2 == 1 ? "pairwise_exchange" : "pairwise");
    case Collective::alltoallv: return chosen(call, "scattered_others");
    case Collective::reduce:
        if (call.commutative) return chosen(call, "simgrid:mvapich2_two_level");
        return chosen(call, "binomial_blocking");
    case Collective::allreduce:
        if (call.commutative) return chosen(call, "simgrid:mvapich2_two_level");
        return chosen(call, call.bytes > 2048 && enough && call.commutative ? "simgrid:rab_rdb"
                                                                            : "recursive_doubling");
    case Collective::reduce_scatter:
        if (call.commutative && elements > 524288) return chosen(call, "pairwise");
        if (!call.commutative && (power_of_two(call) && regular(call))) return chosen(call, "noncommutative");
        return chosen(call, "recursive_doubling");
    default: return select_simgrid_default(call);
    }
}

// smpi_mvapich2_selector.cpp with the tables for Stampede, for the operations that it does not decide by nodes.
Choice select_simgrid_mvapich2(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::barrier: return chosen(call, "recursive_doubling");
    case Collective::alltoall: {
        if (call.size <= 2) return chosen(call, "pairwise_exchange");
        if (call.size <= 4)
            return chosen(call, call.bytes <= 262144 ? "simgrid_scattered" : "pairwise_exchange");
        if (call.size <= 8) return chosen(call, call.bytes <= 8 ? "recursive_doubling" : "simgrid_scattered");
        const Bytes doubling = call.size <= 16 ? 64 : call.size <= 32 ? 32 : 8;
        const Bytes bruck = call.size <= 16 ? 512 : call.size <= 32 ? 2048 : 1024;
        if (call.bytes <= doubling) return chosen(call, "recursive_doubling");
        return chosen(call, call.bytes <= bruck ? "bruck" : "simgrid_scattered");
    }
    case Collective::alltoallv: return chosen(call, call.in_place ? "linear_in_order" : "pairwise_exchange");
    case Collective::gather: return chosen(call, "binomial"); // it has not looked for nodes by then
    case Collective::allgatherv:
        if (total_bytes(call) > call.size * (call.size <= 32 ? Bytes{512} : Bytes{256})) {
            return chosen(call, "simgrid_ring_pipelined");
        }
        return chosen(call, power_of_two(call) ? "recursive_doubling" : "bruck");
    case Collective::reduce_scatter:
        if (!call.commutative) return chosen(call, "recursive_doubling");
        if (call.size > 32) no_decision("smpi-mvapich2", call);
        if (total_bytes(call) <= 64) return chosen(call, "linear_scatter");
        return chosen(call, total_bytes(call) <= (call.size <= 16 ? 65536U : 131072U) ? "recursive_halving"
                                                                                      : "pairwise");
    case Collective::bcast:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::reduce:
    case Collective::allreduce: no_decision("smpi-mvapich2", call);
    default: return select_simgrid_default(call);
    }
}

// smpi_intel_mpi_selector.cpp: only what it leaves to SimGrid's one algorithm.
Choice select_simgrid_impi(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::gatherv:
    case Collective::scatterv:
    case Collective::alltoallw:
    case Collective::scan:
    case Collective::exscan: return select_simgrid_default(call);
    default: no_decision("smpi-impi", call);
    }
}

// smpi_nbc_impl.cpp, whatever the selector: everything is posted at once.
Choice select_simgrid_nonblocking(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::barrier: return chosen(call, "linear_nonblocking");
    case Collective::bcast: return chosen(call, "linear");
    case Collective::alltoall: return chosen(call, "linear");
    case Collective::alltoallv:
    case Collective::alltoallw: return chosen(call, "linear_in_order");
    case Collective::reduce: return chosen(call, "linear_nonblocking");
    case Collective::allreduce: return chosen(call, "exchange_all");
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return chosen(call, "exchange_all");
    case Collective::scan:
    case Collective::exscan: return chosen(call, "to_all_higher");
    default: return chosen(call, "linear");
    }
}

} // namespace orrery::coll
