// Reduce_scatter and reduce_scatter_block.
#include "collectives/common.h"
#include "collectives/reduce_scatter/reduce_scatter.h"
#include "collectives/registry.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> reduce_scatter_table() {
    static constexpr std::array rows{
        Algorithm{"nonoverlapping", Collective::reduce_scatter,
                  "openmpi:non-overlapping literature:reduce_scatter",
                  "binomial reduction to rank 0, linear scatter", "lg(p)(α + n(β + γ)) + (p-1)α + nβ",
                  reduce_scatter_nonoverlapping, always},
        Algorithm{"recursive_halving", Collective::reduce_scatter,
                  "openmpi:recursive_halving mpich:recursive_halving simgrid:ompi_basic_recursivehalving",
                  "exchanges of halving size", "lg(p)α + n(p-1)/p (β + γ)", reduce_scatter_recursive_halving,
                  commutative},
        Algorithm{"ring", Collective::reduce_scatter, "openmpi:ring simgrid:ompi_ring",
                  "each block once round the ring", "(p-1)α + n(p-1)/p (β + γ)", reduce_scatter_ring,
                  commutative},
        Algorithm{"butterfly", Collective::reduce_scatter, "openmpi:butterfly simgrid:ompi_butterfly",
                  "halving that keeps the order of the operands, then the blocks go home",
                  "(lg(p) + 1)α + n(β + γ)", reduce_scatter_butterfly, always},
        Algorithm{"pairwise", Collective::reduce_scatter, "mpich:pairwise simgrid:mpich_pair",
                  "in step i the block of the rank i further on goes there", "(p-1)α + n(p-1)/p (β + γ)",
                  reduce_scatter_pairwise, commutative},
        Algorithm{"recursive_doubling", Collective::reduce_scatter,
                  "mpich:recursive_doubling simgrid:mpich_rdb",
                  "exchanges of all that the partner's group still needs", "lg(p)α + n(lg(p) - (p-1)/p)(β + γ)",
                  reduce_scatter_recursive_doubling, always},
        Algorithm{"noncommutative", Collective::reduce_scatter, "mpich:noncommutative simgrid:mpich_noncomm",
                  "blocks at bit-reversed places, then halving that keeps the order",
                  "lg(p)α + n(p-1)/p (β + γ)", reduce_scatter_noncommutative, equal_power_of_two},
        Algorithm{"linear_scatter", Collective::reduce_scatter, "simgrid:default",
                  "linear reduction to rank 0, linear scatter", "2(p-1)α + (p-1)n(β + γ) + nβ",
                  reduce_scatter_linear_scatter, always},
        Algorithm{"exchange_all", Collective::reduce_scatter, "simgrid:ireduce_scatter",
                  "everybody gets its block from everybody at once", "(p-1)α + n(p-1)/p (β + γ)",
                  reduce_scatter_exchange_all, always},
    };
    return rows;
}

std::span<const Algorithm> reduce_scatter_block_table() {
    static constexpr std::array rows{
        Algorithm{"nonoverlapping", Collective::reduce_scatter_block, "openmpi:basic_linear",
                  "binomial reduction to rank 0, linear scatter", "lg(p)(α + n(β + γ)) + (p-1)α + nβ",
                  reduce_scatter_nonoverlapping, always},
        Algorithm{"recursive_halving", Collective::reduce_scatter_block,
                  "openmpi:recursive_halving mpich:recursive_halving", "exchanges of halving size",
                  "lg(p)α + n(p-1)/p (β + γ)", reduce_scatter_recursive_halving, commutative},
        Algorithm{"ring", Collective::reduce_scatter_block, "literature:ring", "each block once round the ring",
                  "(p-1)α + n(p-1)/p (β + γ)", reduce_scatter_ring, commutative},
        Algorithm{"butterfly", Collective::reduce_scatter_block, "openmpi:butterfly",
                  "halving that keeps the order of the operands, then the blocks go home",
                  "(lg(p) + 1)α + n(β + γ)", reduce_scatter_butterfly, always},
        Algorithm{"pairwise", Collective::reduce_scatter_block, "mpich:pairwise",
                  "in step i the block of the rank i further on goes there", "(p-1)α + n(p-1)/p (β + γ)",
                  reduce_scatter_pairwise, commutative},
        Algorithm{"recursive_doubling", Collective::reduce_scatter_block,
                  "openmpi:recursive_doubling mpich:recursive_doubling",
                  "exchanges of all that the partner's group still needs", "lg(p)α + n(lg(p) - (p-1)/p)(β + γ)",
                  reduce_scatter_recursive_doubling, always},
        Algorithm{"noncommutative", Collective::reduce_scatter_block, "mpich:noncommutative",
                  "blocks at bit-reversed places, then halving that keeps the order",
                  "lg(p)α + n(p-1)/p (β + γ)", reduce_scatter_noncommutative, equal_power_of_two},
        Algorithm{"linear_scatter", Collective::reduce_scatter_block, "simgrid:default",
                  "linear reduction to rank 0, linear scatter", "2(p-1)α + (p-1)n(β + γ) + nβ",
                  reduce_scatter_linear_scatter, always},
        Algorithm{"exchange_all", Collective::reduce_scatter_block, "simgrid:ireduce_scatter",
                  "everybody gets its block from everybody at once", "(p-1)α + n(p-1)/p (β + γ)",
                  reduce_scatter_exchange_all, always},
    };
    return rows;
}

} // namespace orrery::coll
