// The reductions to a root.
#include "collectives/common.h"
#include "collectives/reduce/as_in_simgrid.h"
#include "collectives/reduce/reduce.h"
#include "collectives/registry.h"
#include "collectives/two_level.h"
#include "collectives/two_level/as_in_simgrid.h"
#include "collectives/two_level/two_level_algorithms.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> reduce_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::reduce, "openmpi:linear simgrid:ompi_basic_linear simgrid:flat_tree",
                  "the root takes one rank after the other, the last first", "(p-1)(α + nβ + nγ)",
                  reduce_linear, always},
        Algorithm{"linear_nonblocking", Collective::reduce, "simgrid:default simgrid:ireduce",
                  "the root takes all at once", "(p-1)(α + nβ + nγ)", reduce_linear_nonblocking, always},
        Algorithm{"chain", Collective::reduce, "openmpi:chain",
                  "k chains towards the root, in segments; fanout: k, 4 by default",
                  "(p/k + n/s)(α + sβ + sγ) for k = 1", reduce_chain, commutative},
        Algorithm{"pipeline", Collective::reduce, "openmpi:pipeline", "one chain, in segments",
                  "(p - 2 + n/s)(α + sβ + sγ)", reduce_pipeline, commutative},
        Algorithm{"binary", Collective::reduce, "openmpi:binary", "binary tree, in segments",
                  "2(lg(p) + n/s - 2)(α + sβ + sγ)", reduce_binary, commutative},
        Algorithm{"k_ary", Collective::reduce, "literature:k_ary",
                  "k-ary tree, in segments; fanout: k, 4 by default", "k(log_k(p) + n/s)(α + sβ + sγ)",
                  reduce_k_ary, commutative},
        Algorithm{"binomial", Collective::reduce, "openmpi:binomial", "binomial tree, in segments",
                  "lg(p)(α + nβ + nγ)", reduce_binomial, commutative},
        Algorithm{"in_order_binary", Collective::reduce, "openmpi:in-order_binary simgrid:ompi_in_order_binary",
                  "binary tree that keeps the order of the operands, to the last rank, then to the root",
                  "2 lg(p)(α + nβ + nγ) + α + nβ", reduce_in_order_binary, always},
        Algorithm{"binomial_blocking", Collective::reduce, "mpich:binomial simgrid:binomial",
                  "binomial tree; through rank 0 if the operation does not commute", "lg(p)(α + nβ + nγ)",
                  reduce_binomial_blocking, always},
        Algorithm{"knomial", Collective::reduce, "openmpi:knomial simgrid:mvapich2_knomial",
                  "k-nomial tree, all children at once; fanout: the radix, 4 by default",
                  "log_k(p)(α + (k-1)(nβ + nγ))", reduce_knomial, commutative},
        Algorithm{"rabenseifner", Collective::reduce, "openmpi:rabenseifner",
                  "reduce-scatter by halving, then a gather; half the elements each time",
                  "2 lg(p)α + 2 n(p-1)/p β + n(p-1)/p γ", reduce_rabenseifner, commutative_with_enough},
        Algorithm{"reduce_scatter_gather", Collective::reduce, "mpich:reduce_scatter_gather",
                  "reduce-scatter by halving, then a gather; equal blocks",
                  "2 lg(p)α + 2 n(p-1)/p β + n(p-1)/p γ", reduce_scatter_gather, commutative_with_enough},
        Algorithm{"reduce_scatter_gather_last_longer", Collective::reduce, "simgrid:scatter_gather",
                  "the same, the last block taking what remains", "2 lg(p)α + 2 n(p-1)/p β + n(p-1)/p γ",
                  reduce_scatter_gather_last_longer, commutative_with_enough},
        Algorithm{"binomial_swapped", Collective::reduce, "loggopsim:binomial",
                  "binomial tree in which the root changes places with rank 0; all receives posted",
                  "lg(p)(α + nβ + nγ)", reduce_binomial_swapped, commutative},
        Algorithm{
            "heap", Collective::reduce, "loggopsim:binary",
            "rank i takes from k i + 1, ..., k i + k, root and rank 0 having changed places; fanout: k, 2 by "
            "default",
            "k log_k(p)(α + nβ + nγ)", reduce_heap, commutative},
        Algorithm{"pipeline_posted", Collective::reduce, "simgrid:NTSL",
                  "one chain in segments of 8 KiB, all receives posted", "(p - 2 + n/s)(α + sβ + sγ)",
                  reduce_pipeline_posted, commutative},
        Algorithm{"simgrid_chain", Collective::reduce, "simgrid:ompi_chain",
                  "chain with the segments and the fanout that SimGrid chooses", "(2 + n/s)(α + sβ + sγ)",
                  simgrid_reduce_chain, commutative},
        Algorithm{"simgrid_pipeline", Collective::reduce, "simgrid:ompi_pipeline",
                  "pipeline with the segments that SimGrid chooses", "(p - 2 + n/s)(α + sβ + sγ)",
                  simgrid_reduce_pipeline, commutative},
        Algorithm{"simgrid_binary", Collective::reduce, "simgrid:ompi_binary", "binary with segments of 32 KiB",
                  "2(lg(p) + n/s - 2)(α + sβ + sγ)", simgrid_reduce_binary, commutative},
        Algorithm{"simgrid_binomial", Collective::reduce, "simgrid:ompi_binomial",
                  "binomial with the segments that SimGrid chooses", "lg(p)(α + nβ + nγ)",
                  simgrid_reduce_binomial, commutative},
        Algorithm{"two_level", Collective::reduce, "mpich:smp",
                  "within the nodes to their leaders, among the leaders, to the root",
                  "reductions of p/m and m ranks", two_level_reduce, has_hierarchy},
        Algorithm{"two_level_root_last", Collective::reduce, "mpich:smp_root_last",
                  "as two_level, the root's node coming last", "reductions of p/m and m ranks",
                  two_level_reduce_root_last, has_hierarchy},
        Algorithm{"simgrid_two_level", Collective::reduce, "simgrid:mvapich2_two_level",
                  "two_level with what SimGrid runs on each level", "reductions of p/m and m ranks",
                  simgrid_two_level_reduce, has_hierarchy},
    };
    return rows;
}

} // namespace orrery::coll
