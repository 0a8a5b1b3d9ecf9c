// Scatter and scatterv.
#include "collectives/common.h"
#include "collectives/gather/gather.h"
#include "collectives/registry.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> scatter_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::scatter, "simgrid:default simgrid:iscatter simgrid:ompi_linear_nb",
                  "the root sends all blocks at once", "(p-1)(α + nβ)", scatter_linear, always},
        Algorithm{"linear_posted", Collective::scatter, "loggopsim:linear",
                  "the root sends all blocks at once, that of rank 0 in its own place", "(p-1)(α + nβ)",
                  scatter_linear_posted, always},
        Algorithm{"linear_blocking", Collective::scatter, "openmpi:basic_linear simgrid:ompi_basic_linear",
                  "the root sends one block after the other", "(p-1)(α + nβ)", scatter_linear_blocking, always},
        Algorithm{"linear_batched", Collective::scatter, "openmpi:linear_nb",
                  "the root sends `fanout` blocks at a time", "(p-1)(α + nβ)", scatter_linear_batched, always},
        Algorithm{"binomial", Collective::scatter, "mpich:binomial",
                  "down a binomial tree, large subtrees first", "lg(p)α + n(p-1)β", scatter_by_binomial,
                  always},
        Algorithm{"binomial_small_first", Collective::scatter, "openmpi:binomial simgrid:ompi_binomial",
                  "down a binomial tree, small subtrees first", "lg(p)α + n(p-1)β",
                  scatter_binomial_small_first, always},
    };
    return rows;
}

std::span<const Algorithm> scatterv_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::scatterv, "mpich:linear simgrid:default",
                  "the root sends all blocks at once", "(p-1)(α + nβ)", scatter_linear, always},
        Algorithm{"linear_posted", Collective::scatterv, "loggopsim:linear",
                  "the root sends all blocks at once, that of rank 0 in its own place", "(p-1)(α + nβ)",
                  scatter_linear_posted, always},
        Algorithm{"linear_blocking", Collective::scatterv, "openmpi:default",
                  "the root sends one block after the other", "(p-1)(α + nβ)", scatter_linear_blocking, always},
    };
    return rows;
}

} // namespace orrery::coll
