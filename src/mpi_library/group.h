// Groups: ordered sets of processes. A process is known by its rank in MPI_COMM_WORLD.
#pragma once

#include "mpi_library/handles.h"
#include "orrery/mpi/mpi.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace orrery::emulate::mpi {

using GroupRanks = std::shared_ptr<const std::vector<std::uint32_t>>;

// Throws Failure(MPI_ERR_GROUP).
const std::vector<std::uint32_t>& group_of(MPI_Group handle);
MPI_Group add_group(std::vector<std::uint32_t> members); // MPI_GROUP_EMPTY if there are none

} // namespace orrery::emulate::mpi
