// The sources of the emulator's own MPI that the generator makes from the table.
#pragma once

#include "mpi_library/table/table.h"

#include <ostream>
#include <string>
#include <vector>

namespace orrery::mpi_api {

// mpi_functions.h: the prototypes of MPI_X and PMPI_X, the end of mpi.h.
void write_c_prototypes(std::ostream& out, const std::vector<Function>& functions);
// mpi.h as it is installed: `header` with these in the place of #include "mpi_functions.h".
void write_whole_header(std::ostream& out, const std::string& header, const std::vector<Function>& functions);
// function_ids.h: enum class FunctionId and the names.
void write_function_ids(std::ostream& out, const std::vector<Function>& functions);
// functions.h: mpi::X for each function, to be implemented by hand.
void write_implementation_header(std::ostream& out, const std::vector<Function>& functions);
// What mpi::X is unless somebody implements it: an error that names the function.
void write_unsupported(std::ostream& out, const std::vector<Function>& functions);
// PMPI_X, which calls mpi::X, and MPI_X, its weak alias.
void write_entry_points(std::ostream& out, const std::vector<Function>& functions);
// pmpi_x_, which calls PMPI_X, and mpi_x_, its weak alias.
void write_fortran_entry_points(std::ostream& out, const std::vector<Function>& functions);
// mpi_symbols(): all of these by name.
void write_symbols(std::ostream& out, const std::vector<Function>& functions);

// Functions that Fortran does not have: conversions of handles, MPI_T.
bool only_in_c(const Function& function);
// Functions whose entry point for Fortran is in mpi_library/fortran/: indices, attributes, callbacks, ...
bool by_hand_in_fortran(const Function& function);

} // namespace orrery::mpi_api
