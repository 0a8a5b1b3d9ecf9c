#include "collectives/call.h"

#include <array>

namespace orrery {

std::string_view name_of(Collective operation) {
    static constexpr std::array<std::string_view, collective_count> names{
        "barrier",
        "bcast",
        "gather",
        "gatherv",
        "scatter",
        "scatterv",
        "allgather",
        "allgatherv",
        "alltoall",
        "alltoallv",
        "alltoallw",
        "reduce",
        "allreduce",
        "reduce_scatter",
        "reduce_scatter_block",
        "scan",
        "exscan",
        "neighbor_allgather",
        "neighbor_allgatherv",
        "neighbor_alltoall",
        "neighbor_alltoallv",
        "neighbor_alltoallw",
    };
    return names[static_cast<std::size_t>(operation)];
}

bool has_root(Collective operation) {
    switch (operation) {
    case Collective::bcast:
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv: return true;
    default: return false;
    }
}

} // namespace orrery
