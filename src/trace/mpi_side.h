// What the recorder asks of MPI itself. Compiled once per MPI, everything else of the recorder once.
#pragma once

#include <string>

namespace orrery::trace {

std::string mpi_version(); // as the library gives it, several lines perhaps
std::string mpi_host();    // of this process

} // namespace orrery::trace
