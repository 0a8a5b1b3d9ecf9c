// What LogGOPSim's generator makes of the collectives in a trace of liballprof.
#include "collectives/selectors.h"

#include <array>

namespace orrery::coll {

namespace {

// It has barrier, bcast, reduce, allreduce, alltoall, gather and scatter. Its allgather moves too little data
// (the row `dissemination`), and of the others it has none: for these, what comes closest to its schedules.
std::string_view loggopsim_name(Collective operation) {
    switch (operation) {
    case Collective::barrier: return "dissemination_posted";
    case Collective::bcast:
    case Collective::reduce: return "binomial_swapped";
    case Collective::allreduce: return "dissemination";
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv: return "linear_posted";
    case Collective::allgather: return "bruck";
    case Collective::allgatherv: return "ring";
    case Collective::alltoall:
    case Collective::alltoallv: return "linear_upwards";
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return "pairwise";
    default: return "linear";
    }
}

} // namespace

Choice select_loggopsim(const CollectiveCall& call) {
    static const auto rows = [] {
        std::array<const Algorithm*, collective_count> found{};
        for (std::size_t i = 0; i < collective_count; ++i)
            found[i] = named(static_cast<Collective>(i), loggopsim_name(static_cast<Collective>(i)));
        return found;
    }();
    return {rows[static_cast<std::size_t>(call.operation)], {}};
}

std::string loggopsim_reason(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::barrier:
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall: return "LogGOPSim's schedule generator";
    case Collective::allgather: return "LogGOPSim's generator moves too little data; the same number of rounds";
    default: return "LogGOPSim's generator has none; close to its schedules";
    }
}

} // namespace orrery::coll
