// The grid for MPI_Dims_create: factors that are as close to each other as possible.
#pragma once

#include <vector>

namespace orrery::emulate::mpi {

// `count` (at least 1) factors of `nodes` (at least 1), the largest first. The difference between the largest
// and the smallest is as small as can be; of several such, the smallest ones are as large as can be.
std::vector<int> balanced_dims(int nodes, int count);

} // namespace orrery::emulate::mpi
