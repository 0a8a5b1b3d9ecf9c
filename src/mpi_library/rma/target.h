// Whether and where an operation may go.
#pragma once

#include "mpi_library/rma/window.h"

#include <cstdint>
#include <optional>

namespace orrery::emulate::mpi {

// A target that operations may go to now, by its rank; none for MPI_PROC_NULL. Throws Failure: MPI_ERR_RANK,
// MPI_ERR_RMA_SYNC. `passive`: operations with a request are for passive targets only.
std::optional<std::uint32_t> open_target(Win& win, int target, bool passive);

// Where that is in the target's memory. Throws Failure(MPI_ERR_DISP, MPI_ERR_RMA_RANGE).
void* place_in(const Win& target, MPI_Aint displacement, int count, const Datatype& type);

} // namespace orrery::emulate::mpi
