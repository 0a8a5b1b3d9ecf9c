// What becomes of an error: the error handler's doing.
#pragma once

#include "mpi_library/errors.h"

namespace orrery::emulate::mpi {

// The handler is that of what the failure names, else of `object`, else of MPI_COMM_WORLD.
// Returns the code that the function is to return; does not return if the error is fatal.
int handle_error(const Failure& failure, const char* function, int object);

} // namespace orrery::emulate::mpi
