// Pieces of C that several of the generated sources have in common.
#pragma once

#include "mpi_library/table/table.h"

#include <string>

namespace orrery::mpi_api {

// "int name(int* argc, char*** argv)": the prototype of the function under another name.
std::string prototype(const Function& function, const std::string& name);
// "argc, argv": its parameters, to be passed on. What stands for "..." is left out.
std::string passed_on(const Function& function);
// "Send" of "MPI_Send".
std::string bare_name(const Function& function);
std::string in_lower_case(std::string text);

} // namespace orrery::mpi_api
