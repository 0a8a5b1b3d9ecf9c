// What a program is bound to when it asks for MPI.
#pragma once

#include "emulate/program/symbol.h"

#include <span>

namespace orrery::emulate::mpi {

// Every function that mpi.h, mpif.h and the Fortran modules declare, in the order of std::strcmp. Generated.
std::span<const Symbol> mpi_symbols();

} // namespace orrery::emulate::mpi
