// The makers of all patterns, by the file that holds them. Internal to this folder: the table names them.
#pragma once

#include "workload/patterns/pattern.h"

namespace orrery::patterns_detail {

using Made = std::unique_ptr<Pattern>;
using Options = PatternOptions;

// trees.cpp
Made binomial_bcast(const Options&);
Made binomial_reduce(const Options&);
Made kary_bcast(const Options&);
Made kary_reduce(const Options&);
// dissemination.cpp
Made dissemination(const Options&);
Made nway_dissemination(const Options&);
Made chained_dissemination(const Options&);
Made resnet(const Options&);
// linear.cpp
Made from_root(const Options&); // scatter, outcast
Made to_root(const Options&);   // gather, incast
Made linear_barrier(const Options&);
Made ping_pong(const Options&);
// rings.cpp
Made ring(const Options&);
Made double_ring(const Options&);
Made shift_exchange(const Options&);
Made pipelined_ring(const Options&);
Made pipelined_ring_dep(const Options&);
Made ring_allgather(const Options&);
Made ring_allreduce(const Options&);
// recursive.cpp
Made recursive_doubling_allgather(const Options&);
Made recursive_doubling_allreduce(const Options&);
Made rabenseifner_allreduce(const Options&);
Made halving_doubling_allreduce(const Options&);
// alltoall.cpp
Made linear_alltoall(const Options&);
Made linear_alltoallv(const Options&);
Made pairwise_alltoall(const Options&);
Made rolling_alltoall(const Options&);
Made bruck_alltoall(const Options&);
// random.cpp
Made random_bisection(const Options&);
Made random_exchange(const Options&);
Made random_permutation(const Options&);
Made random_bipartite(const Options&);
// stencil.cpp
Made stencil_2d(const Options&);
Made stencil_3d(const Options&);
// sweep.cpp
Made sweep(const Options&);
// partners.cpp
Made shift_round(const Options&);
Made tornado(const Options&);
Made permutation(const Options&);
Made bit_complement(const Options&);
Made bit_reverse(const Options&);
Made shuffle(const Options&);
Made transpose(const Options&);
Made neighbour(const Options&);
Made group(const Options&);
Made grouped_alltoall(const Options&);
Made near_neighbour(const Options&);
// overlap.cpp: `inner` with an independent computation put before it on each rank.
Made overlapped(Made inner, const Options&);

} // namespace orrery::patterns_detail
