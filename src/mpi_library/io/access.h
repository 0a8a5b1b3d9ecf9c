// One reading or writing of a file: checks, where it begins, and moving the data.
#pragma once

#include "mpi_library/io/file.h"

namespace orrery::emulate::mpi {

struct FileAccess {
    enum class Pointer : std::uint8_t { none, own, shared, ordered }; // none: at `offset`
    bool writes = false;
    Pointer pointer = Pointer::none;
    MPI_Offset offset = 0; // in etypes
    void* buffer = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

// The four forms of a call: that ends when it is done, with a request, split in two.
int access_now(MPI_File file, const FileAccess& access, MPI_Status* status);
int access_later(MPI_File file, const FileAccess& access, MPI_Request* request);
int access_begin(MPI_File file, const FileAccess& access, Split split);
int access_end(MPI_File file, Split split, MPI_Status* status);

} // namespace orrery::emulate::mpi
