// Reading and writing at the rank's own file pointer.
#include "functions.h"
#include "mpi_library/io/access.h"

namespace orrery::emulate::mpi {

namespace {

using Pointer = FileAccess::Pointer;

FileAccess reading(void* buffer, int count, MPI_Datatype type) {
    return {false, Pointer::own, 0, buffer, count, type};
}

FileAccess writing(const void* buffer, int count, MPI_Datatype type) {
    return {true, Pointer::own, 0, const_cast<void*>(buffer), count, type};
}

} // namespace

int File_read(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, reading(buffer, count, type), status);
}

int File_read_all(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, reading(buffer, count, type), status);
}

int File_iread(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return access_later(file, reading(buffer, count, type), request);
}

int File_iread_all(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return access_later(file, reading(buffer, count, type), request);
}

int File_read_all_begin(MPI_File file, void* buffer, int count, MPI_Datatype type) {
    return access_begin(file, reading(buffer, count, type), Split::read_all);
}

int File_read_all_end(MPI_File file, void*, MPI_Status* status) {
    return access_end(file, Split::read_all, status);
}

int File_write(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, writing(buffer, count, type), status);
}

int File_write_all(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, writing(buffer, count, type), status);
}

int File_iwrite(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return access_later(file, writing(buffer, count, type), request);
}

int File_iwrite_all(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return access_later(file, writing(buffer, count, type), request);
}

int File_write_all_begin(MPI_File file, const void* buffer, int count, MPI_Datatype type) {
    return access_begin(file, writing(buffer, count, type), Split::write_all);
}

int File_write_all_end(MPI_File file, const void*, MPI_Status* status) {
    return access_end(file, Split::write_all, status);
}

} // namespace orrery::emulate::mpi
