// What LogGOPSim's generator makes of the collectives in a trace of liballprof.
#include "collectives/selectors.h"

namespace orrery::coll {

// It has barrier, bcast, reduce, allreduce, alltoall, gather and scatter. Its allgather moves too little data
// (the row `dissemination`), and of the others it has none: for these, what comes closest to its schedules.
Choice select_loggopsim(const CollectiveCall& call) {
    const auto choice = [&](std::string_view name) { return Choice{named(call.operation, name), {}}; };
    switch (call.operation) {
    case Collective::barrier: return choice("dissemination_posted");
    case Collective::bcast:
    case Collective::reduce: return choice("binomial_swapped");
    case Collective::allreduce: return choice("dissemination");
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv: return choice("linear_posted");
    case Collective::allgather: return choice("bruck");
    case Collective::allgatherv: return choice("ring");
    case Collective::alltoall:
    case Collective::alltoallv: return choice("linear_upwards");
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return choice("pairwise");
    default: return choice("linear");
    }
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
