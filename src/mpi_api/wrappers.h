// The sources that the generator makes from the table.
#pragma once

#include "mpi_api/table.h"

#include <ostream>

namespace orrery::mpi_api {

// Names of the wrapped functions in the order of their numbers: trace::functions().
void write_function_list(std::ostream& out, const std::vector<Function>& functions);
// MPI_X for C and C++, and for a Fortran that calls it.
void write_c_wrappers(std::ostream& out, const std::vector<Function>& functions);
// mpi_x_ (mpif.h, use mpi) and mpi_x_f08_ (use mpi_f08), for a Fortran that does not.
void write_fortran_wrappers(std::ostream& out, const std::vector<Function>& functions);

} // namespace orrery::mpi_api
