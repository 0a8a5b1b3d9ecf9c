// The neighbourhood collectives: one algorithm for all.
#include "collectives/common.h"
#include "collectives/neighbor/neighbor.h"
#include "collectives/registry.h"

#include <array>

namespace orrery::coll {

namespace {

template <Collective operation> std::span<const Algorithm> rows_of() {
    static constexpr std::array rows{
        Algorithm{"linear", operation, "openmpi:linear mpich:nb",
                  "all messages at once, in the order of the neighbours", "d(α + nβ) for d neighbours",
                  neighbor_linear, always},
    };
    return rows;
}

} // namespace

std::span<const Algorithm> neighbor_table(Collective operation) {
    switch (operation) {
    case Collective::neighbor_allgather: return rows_of<Collective::neighbor_allgather>();
    case Collective::neighbor_allgatherv: return rows_of<Collective::neighbor_allgatherv>();
    case Collective::neighbor_alltoall: return rows_of<Collective::neighbor_alltoall>();
    case Collective::neighbor_alltoallv: return rows_of<Collective::neighbor_alltoallv>();
    default: return rows_of<Collective::neighbor_alltoallw>();
    }
}

} // namespace orrery::coll
