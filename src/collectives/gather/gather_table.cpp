// Gather and gatherv.
#include "collectives/common.h"
#include "collectives/gather/gather.h"
#include "collectives/registry.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> gather_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::gather, "simgrid:default simgrid:igather",
                  "the root takes all blocks at once", "(p-1)(α + nβ)", gather_linear, always},
        Algorithm{"linear_posted", Collective::gather, "loggopsim:linear",
                  "the root takes all blocks at once, that of rank 0 in its own place", "(p-1)(α + nβ)",
                  gather_linear_posted, always},
        Algorithm{"linear_blocking", Collective::gather, "openmpi:basic_linear simgrid:ompi_basic_linear",
                  "the root takes one rank after the other", "(p-1)(α + nβ)", gather_linear_blocking, always},
        Algorithm{"linear_sync", Collective::gather, "openmpi:linear_sync",
                  "the root asks each rank for a first segment and the rest", "(p-1)(2α + nβ)",
                  gather_linear_sync, always},
        Algorithm{"binomial", Collective::gather, "openmpi:binomial mpich:binomial simgrid:ompi_binomial",
                  "up a binomial tree, blocks being put together", "lg(p)α + n(p-1)β", gather_by_binomial,
                  always},
        Algorithm{"simgrid_linear_sync", Collective::gather, "simgrid:ompi_linear_sync",
                  "linear_sync with the segments that SimGrid chooses", "(p-1)(2α + nβ)",
                  simgrid_gather_linear_sync, always},
    };
    return rows;
}

std::span<const Algorithm> gatherv_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::gatherv, "mpich:linear simgrid:default",
                  "the root takes all blocks at once", "(p-1)(α + nβ)", gather_linear, always},
        Algorithm{"linear_posted", Collective::gatherv, "loggopsim:linear",
                  "the root takes all blocks at once, that of rank 0 in its own place", "(p-1)(α + nβ)",
                  gather_linear_posted, always},
        Algorithm{"linear_blocking", Collective::gatherv, "openmpi:default",
                  "the root takes one rank after the other", "(p-1)(α + nβ)", gather_linear_blocking, always},
    };
    return rows;
}

} // namespace orrery::coll
