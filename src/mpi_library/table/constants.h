// The constants of mpi.h, read from it so that those of Fortran cannot differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::mpi_api {

struct Constant {
    std::string name; // "MPI_COMM_WORLD"
    std::string type; // "MPI_Comm", or empty for plain numbers
    std::int64_t value = 0;
};

// All of the form #define MPI_NAME number, ((MPI_Type)number) or another name, but for those that only C has:
// addresses, MPI_T_ and MPI_F_. Texts are one character shorter in Fortran, which has no zero at the end.
std::vector<Constant> read_constants(const std::string& header);

} // namespace orrery::mpi_api
