#include "trace/mpi_side.h"

#include "trace/mpi_header.h"

#include <vector>

namespace orrery::trace {

std::string mpi_version() {
    std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING + 1);
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    return text.data();
}

std::string mpi_host() {
    std::vector<char> text(MPI_MAX_PROCESSOR_NAME + 1);
    int length = 0;
    PMPI_Get_processor_name(text.data(), &length);
    return text.data();
}

} // namespace orrery::trace
