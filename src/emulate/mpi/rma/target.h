// Whether and where an operation may go.
#pragma once

#include "emulate/mpi/rma/window.h"

namespace orrery::emulate::mpi {

// The way to a target that operations may go to now; null for MPI_PROC_NULL. Throws Failure: MPI_ERR_RANK,
// MPI_ERR_RMA_SYNC. `passive`: operations with a request are for passive targets only.
Channel* channel_to(Win& win, int target, bool passive);

// Where that is in the target's memory. Throws Failure(MPI_ERR_DISP, MPI_ERR_RMA_RANGE).
void* place_in(const Win& target, MPI_Aint displacement, int count, const Datatype& type);

} // namespace orrery::emulate::mpi
