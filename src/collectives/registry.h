// The tables that the library is made of, one for each operation (or two operations that share algorithms).
#pragma once

#include "collectives/algorithms.h"

namespace orrery::coll {

std::span<const Algorithm> barrier_table();
std::span<const Algorithm> bcast_table();
std::span<const Algorithm> gather_table();
std::span<const Algorithm> gatherv_table();
std::span<const Algorithm> scatter_table();
std::span<const Algorithm> scatterv_table();
std::span<const Algorithm> allgather_table();
std::span<const Algorithm> allgatherv_table();
std::span<const Algorithm> alltoall_table();
std::span<const Algorithm> alltoallv_table();
std::span<const Algorithm> alltoallw_table();
std::span<const Algorithm> reduce_table();
std::span<const Algorithm> allreduce_table();
std::span<const Algorithm> reduce_scatter_table();
std::span<const Algorithm> reduce_scatter_block_table();
std::span<const Algorithm> scan_table();
std::span<const Algorithm> exscan_table();
std::span<const Algorithm> neighbor_table(Collective operation);

} // namespace orrery::coll
