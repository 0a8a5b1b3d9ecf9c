// The error code that a function of the emulated MPI fails with.
#pragma once

#include "mpi_library/errors.h"
#include "orrery/mpi/mpi.h"

namespace orrery::emulate::mpi {

inline int code_of(const auto& call) {
    try {
        call();
    } catch (const Failure& failure) {
        return failure.code();
    }
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
