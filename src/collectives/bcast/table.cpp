// The broadcasts.
#include "collectives/bcast/as_in_simgrid.h"
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/registry.h"
#include "collectives/two_level.h"
#include "collectives/two_level/two_level_algorithms.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> bcast_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::bcast, "openmpi:basic_linear simgrid:flattree simgrid:ibcast",
                  "the root sends to each rank, all at once", "(p-1)(α + nβ)", bcast_linear, always},
        Algorithm{"chain", Collective::bcast, "openmpi:chain",
                  "k chains hang on the root; segments follow one another; fanout: k, 4 by default",
                  "(p/k + n/s)(α + sβ) for k = 1", bcast_chain, always},
        Algorithm{"pipeline", Collective::bcast, "openmpi:pipeline", "one chain; segments follow one another",
                  "(p - 2 + n/s)(α + sβ)", bcast_pipeline, always},
        Algorithm{"split_binary", Collective::bcast, "openmpi:split_binary_tree",
                  "each half down one side of a binary tree, then the sides swap",
                  "2(lg(p) + n/2s)(α + sβ) + α + nβ/2", bcast_split_binary, always},
        Algorithm{"binary", Collective::bcast, "openmpi:binary_tree", "binary tree, in segments",
                  "2(lg(p) + n/s - 2)(α + sβ)", bcast_binary, always},
        Algorithm{"k_ary", Collective::bcast, "literature:k_ary",
                  "k-ary tree, in segments; fanout: k, 4 by default", "k(log_k(p) + n/s)(α + sβ)", bcast_k_ary,
                  always},
        Algorithm{"binomial", Collective::bcast, "openmpi:binomial",
                  "binomial tree, in segments, to all children at once", "lg(p)(α + nβ)", bcast_binomial,
                  always},
        Algorithm{"binomial_blocking", Collective::bcast,
                  "mpich:binomial simgrid:binomial_tree simgrid:default",
                  "binomial tree, large subtrees first, one child after the other", "lg(p)(α + nβ)",
                  bcast_binomial_blocking, always},
        Algorithm{"knomial", Collective::bcast, "openmpi:knomial mpich:tree",
                  "k-nomial tree, in segments; fanout: the radix, 4 by default", "(k-1)log_k(p)(α + nβ)",
                  bcast_knomial, always},
        Algorithm{"scatter_allgather", Collective::bcast, "openmpi:scatter_allgather",
                  "binomial scatter, then allgather by recursive doubling, in elements",
                  "2 lg(p)α + 2 n(p-1)/p β", bcast_scatter_allgather, enough_elements},
        Algorithm{"scatter_allgather_ring", Collective::bcast, "openmpi:scatter_allgather_ring",
                  "binomial scatter, then allgather round a ring, in elements",
                  "(lg(p) + p - 1)α + 2 n(p-1)/p β", bcast_scatter_allgather_ring, enough_elements},
        Algorithm{"scatter_doubling_bytes", Collective::bcast,
                  "mpich:scatter_recursive_doubling_allgather simgrid:scatter_rdb_allgather",
                  "as scatter_allgather, cut between any bytes", "2 lg(p)α + 2 n(p-1)/p β",
                  bcast_scatter_doubling_bytes, always},
        Algorithm{"scatter_ring_bytes", Collective::bcast,
                  "mpich:scatter_ring_allgather simgrid:scatter_LR_allgather",
                  "as scatter_allgather_ring, cut between any bytes", "(lg(p) + p - 1)α + 2 n(p-1)/p β",
                  bcast_scatter_ring_bytes, always},
        Algorithm{"binomial_swapped", Collective::bcast, "loggopsim:binomial",
                  "binomial tree in which the root changes places with rank 0", "lg(p)(α + nβ)",
                  bcast_binomial_swapped, always},
        Algorithm{
            "heap", Collective::bcast, "loggopsim:binary",
            "rank i passes on to k i + 1, ..., k i + k, root and rank 0 having changed places; fanout: k, 2 by "
            "default",
            "k log_k(p)(α + nβ)", bcast_heap, always},
        Algorithm{"linear_segmented", Collective::bcast, "simgrid:flattree_pipeline",
                  "linear in segments, one rank after the other", "(p-1)n/s(α + sβ)", bcast_linear_segmented,
                  always},
        Algorithm{"pipeline_by_zero", Collective::bcast, "simgrid:NTSL simgrid:NTSL_Isend",
                  "to rank 0, then a pipeline with all receives posted", "(p - 2 + n/s)(α + sβ) + α + nβ",
                  bcast_pipeline_by_zero, always},
        Algorithm{"binary_by_zero", Collective::bcast, "simgrid:NTSB",
                  "to rank 0, then a binary tree with all receives posted", "2(lg(p) + n/s)(α + sβ) + α + nβ",
                  bcast_binary_by_zero, always},
        Algorithm{"simgrid_pipeline", Collective::bcast, "simgrid:ompi_pipeline",
                  "pipeline with the segments that SimGrid chooses", "(p - 2 + n/s)(α + sβ)",
                  simgrid_bcast_pipeline, always},
        Algorithm{"simgrid_split_binary", Collective::bcast, "simgrid:ompi_split_bintree",
                  "split_binary with the segments that SimGrid chooses", "2(lg(p) + n/2s)(α + sβ) + α + nβ/2",
                  simgrid_bcast_split_binary, always},
        Algorithm{"two_level", Collective::bcast, "mpich:smp",
                  "to the leader, among the leaders of the nodes, within the nodes",
                  "lg(m)(α + nβ) between m nodes, lg(p/m) times within", two_level_bcast, has_hierarchy},
        Algorithm{"two_level_local_first", Collective::bcast, "mpich:smp_local_first",
                  "as two_level, the root's node being served first",
                  "lg(m)(α + nβ) between m nodes, lg(p/m) times within", two_level_bcast_local_first,
                  has_hierarchy},
        Algorithm{"simgrid_knomial", Collective::bcast, "simgrid:mvapich2_knomial_intra_node",
                  "4-nomial tree, one level of children at a time", "(k-1)log_k(p)(α + nβ)",
                  simgrid_bcast_knomial, always},
        Algorithm{"simgrid_smp_binomial", Collective::bcast, "simgrid:SMP_binomial",
                  "to rank 0, binomial over the nodes, binomial within", "lg(p)(α + nβ) + α + nβ",
                  simgrid_bcast_smp_binomial, always},
        Algorithm{"node_chains_by_zero", Collective::bcast, "simgrid:SMP_linear",
                  "to rank 0, a chain of nodes, chains on the nodes, in segments of 8 KiB",
                  "(m + p/m + n/s)(α + sβ) + α + nβ", bcast_node_chains_by_zero, has_hierarchy},
        Algorithm{"node_heaps_by_zero", Collective::bcast, "simgrid:SMP_binary",
                  "to rank 0, a heap of nodes, heaps on the nodes, in segments of 8 KiB",
                  "4(lg(p) + n/s)(α + sβ) + α + nβ", bcast_node_heaps_by_zero, has_hierarchy},
    };
    return rows;
}

} // namespace orrery::coll
