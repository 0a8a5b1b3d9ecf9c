// What a program can ask of its MPI and of the machine it runs on, and memory from MPI.
#include "functions.h"
#include "mpi_library/errors.h"
#include "mpi_library/local_state.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#ifndef ORRERY_VERSION
#define ORRERY_VERSION "of unknown version"
#endif

namespace orrery::emulate::mpi {

namespace {

void give(std::string_view text, char* to, int room, int* length) {
    const std::size_t given = std::min(text.size(), static_cast<std::size_t>(room) - 1);
    std::memcpy(to, text.data(), given);
    to[given] = '\0';
    *length = static_cast<int>(given);
}

constexpr std::size_t alignment = 64; // a cache line

} // namespace

int Get_version(int* version, int* subversion) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int Get_library_version(char* version, int* resultlen) {
    give("Orrery " ORRERY_VERSION ", emulated MPI-3.1", version, MPI_MAX_LIBRARY_VERSION_STRING, resultlen);
    return MPI_SUCCESS;
}

int Get_processor_name(char* name, int* resultlen) {
    give(local_state().processor_name, name, MPI_MAX_PROCESSOR_NAME, resultlen);
    return MPI_SUCCESS;
}

int Alloc_mem(MPI_Aint size, MPI_Info, void* baseptr) {
    if (size < 0) throw Failure(MPI_ERR_ARG, "the size of memory is negative");
    const auto wanted = static_cast<std::size_t>(size);
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, std::max<std::size_t>(wanted, 1)) != 0) {
        throw Failure(MPI_ERR_NO_MEM, "there is no memory for " + std::to_string(wanted) + " bytes");
    }
    *static_cast<void**>(baseptr) = memory;
    return MPI_SUCCESS;
}

int Free_mem(void* base) {
    std::free(base);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
