// The sources that the generator makes from the table.
#pragma once

#include "mpi_library/table/table.h"

#include <ostream>
#include <string>
#include <vector>

namespace orrery::mpi_api {

// Names of the wrapped functions in the order of their numbers: trace::functions().
void write_function_list(std::ostream& out, const std::vector<Function>& functions);
// MPI_X for C and C++, and for a Fortran that calls it.
void write_c_wrappers(std::ostream& out, const std::vector<Function>& functions);
// For Fortran bindings that do not call MPI_X of C. `ending` of the names: "_" (mpif.h, use mpi) or "_f08_"
// (use mpi_f08).
void write_fortran_wrappers(std::ostream& out, const std::vector<Function>& functions,
                            const std::string& ending);

} // namespace orrery::mpi_api
