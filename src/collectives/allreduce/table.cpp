// The allreduces.
#include "collectives/allreduce/allreduce.h"
#include "collectives/common.h"
#include "collectives/registry.h"
#include "collectives/two_level.h"
#include "collectives/two_level/as_in_simgrid.h"
#include "collectives/two_level/two_level_algorithms.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> allreduce_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::allreduce, "openmpi:basic_linear",
                  "linear reduction to rank 0, linear broadcast", "2(p-1)(α + nβ) + (p-1)nγ", allreduce_linear,
                  always},
        Algorithm{"nonoverlapping", Collective::allreduce, "openmpi:nonoverlapping",
                  "a reduction to rank 0 and a broadcast, as Open MPI takes them", "2 lg(p)(α + nβ) + lg(p)nγ",
                  allreduce_nonoverlapping, always},
        Algorithm{"recursive_doubling", Collective::allreduce,
                  "openmpi:recursive_doubling mpich:recursive_doubling simgrid:rdb",
                  "exchanges of everything in doubling distances", "lg(p)(α + nβ + nγ)",
                  allreduce_recursive_doubling, always},
        Algorithm{"dissemination", Collective::allreduce, "loggopsim:dissemination",
                  "everything to the rank 2^i further on; counts operands twice unless p is a power of two",
                  "lg(p)(α + nβ + nγ)", allreduce_dissemination, commutative_power_of_two, false},
        Algorithm{"ring", Collective::allreduce, "openmpi:ring",
                  "each block once round the ring to be reduced, once more to be known",
                  "2(p-1)α + 2 n(p-1)/p β + n(p-1)/p γ", allreduce_ring, commutative_with_all},
        Algorithm{"segmented_ring", Collective::allreduce, "openmpi:segmented_ring",
                  "the same in segments, 1 MiB by default",
                  "2(p-1)α + 2 n(p-1)/p β + n(p-1)/p γ, + (p-1)α per further segment", allreduce_ring_segmented,
                  commutative_with_all},
        Algorithm{"rabenseifner", Collective::allreduce, "openmpi:rabenseifner",
                  "reduce-scatter by halving, then an allgather; half the elements each time",
                  "2 lg(p)α + 2 n(p-1)/p β + n(p-1)/p γ", allreduce_rabenseifner, commutative_with_enough},
        Algorithm{"reduce_scatter_allgather", Collective::allreduce, "mpich:reduce_scatter_allgather",
                  "reduce-scatter by halving, then an allgather; equal blocks",
                  "2 lg(p)α + 2 n(p-1)/p β + n(p-1)/p γ", allreduce_scatter_allgather, commutative_with_enough},
        Algorithm{"reduce_scatter_allgather_last_longer", Collective::allreduce,
                  "simgrid:rab_rdb simgrid:mvapich2_rs", "the same, the last block taking what remains",
                  "2 lg(p)α + 2 n(p-1)/p β + n(p-1)/p γ", allreduce_scatter_allgather_last_longer,
                  commutative_with_enough},
        Algorithm{"logical_ring", Collective::allreduce, "simgrid:lr",
                  "a ring of exchanges; what does not divide by p is reduced and broadcast",
                  "2(p-1)α + 2 n(p-1)/p β + n(p-1)/p γ", allreduce_logical_ring, commutative_with_all},
        Algorithm{"segmented_or_logical_ring", Collective::allreduce, "simgrid:ompi_ring_segmented",
                  "segmented_ring; logical_ring for less data", "2(p-1)α + 2 n(p-1)/p β + n(p-1)/p γ",
                  allreduce_ring_segmented_or_logical, commutative_with_all},
        Algorithm{"reduce_bcast", Collective::allreduce, "simgrid:default simgrid:redbcast",
                  "linear reduction to rank 0, binomial broadcast", "(p-1)(α + nβ + nγ) + lg(p)(α + nβ)",
                  allreduce_reduce_bcast, always},
        Algorithm{"halving_linear_allgather", Collective::allreduce, "simgrid:rab1",
                  "reduce-scatter by halving, then everybody sends its part to everybody",
                  "(lg(p) + p - 1)α + 2 n(p-1)/p β + n(p-1)/p γ", allreduce_halving_linear_allgather,
                  commutative_power_of_two},
        Algorithm{"alltoall_allgather", Collective::allreduce, "simgrid:rab2",
                  "parts go to everybody, are reduced and go to everybody",
                  "2(p-1)α + 2 n(p-1)/p β + n(p-1)/p γ", allreduce_alltoall_allgather, always},
        Algorithm{"exchange_all", Collective::allreduce, "simgrid:iallreduce",
                  "everybody sends everything to everybody", "(p-1)(α + nβ + nγ)", allreduce_exchange_all,
                  always},
        Algorithm{"two_level", Collective::allreduce, "mpich:smp",
                  "reduction within the nodes, allreduce among the leaders, broadcast within the nodes",
                  "an allreduce of m ranks, and 2 lg(p/m)(α + nβ) within", two_level_allreduce, has_hierarchy},
        Algorithm{"simgrid_two_level", Collective::allreduce, "simgrid:mvapich2_two_level",
                  "allreduce within the nodes, among the leaders, broadcast within the nodes",
                  "allreduces of p/m and m ranks, and lg(p/m)(α + nβ) within", simgrid_two_level_allreduce,
                  has_hierarchy},
        Algorithm{"simgrid_smp_binomial", Collective::allreduce, "simgrid:smp_binomial",
                  "binomial reduction on the nodes, among the leaders, and back", "2 lg(p)(α + nβ)",
                  simgrid_smp_binomial_allreduce, has_hierarchy},
        Algorithm{"simgrid_smp_doubling", Collective::allreduce, "simgrid:smp_rdb",
                  "binomial on the nodes, recursive doubling among the leaders",
                  "2 lg(p/m)(α + nβ) within, lg(m)(α + nβ) between m nodes", simgrid_smp_doubling_allreduce,
                  has_hierarchy},
        Algorithm{"simgrid_smp_ring", Collective::allreduce, "simgrid:smp_rsag simgrid:smp_rsag_lr",
                  "binomial on the nodes, a ring among the leaders",
                  "2 lg(p/m)(α + nβ) within, 2(m-1)(α + n/m β) between m nodes", simgrid_smp_ring_allreduce,
                  has_hierarchy},
        Algorithm{"simgrid_smp_halving", Collective::allreduce, "simgrid:smp_rsag_rab",
                  "binomial on the nodes, halving and doubling among the leaders",
                  "2 lg(p/m)(α + nβ) within, 2 lg(m)α + 2nβ between m nodes", simgrid_smp_halving_allreduce,
                  has_hierarchy},
    };
    return rows;
}

} // namespace orrery::coll
