// Reading and writing at the shared file pointer: as ranks come, or in their order.
#include "functions.h"
#include "mpi_library/io/access.h"

namespace orrery::emulate::mpi {

namespace {

using Pointer = FileAccess::Pointer;

FileAccess reading(Pointer pointer, void* buffer, int count, MPI_Datatype type) {
    return {false, pointer, 0, buffer, count, type};
}

FileAccess writing(Pointer pointer, const void* buffer, int count, MPI_Datatype type) {
    return {true, pointer, 0, const_cast<void*>(buffer), count, type};
}

} // namespace

int File_read_shared(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, reading(Pointer::shared, buffer, count, type), status);
}

int File_iread_shared(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return access_later(file, reading(Pointer::shared, buffer, count, type), request);
}

int File_read_ordered(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, reading(Pointer::ordered, buffer, count, type), status);
}

int File_read_ordered_begin(MPI_File file, void* buffer, int count, MPI_Datatype type) {
    return access_begin(file, reading(Pointer::ordered, buffer, count, type), Split::read_ordered);
}

int File_read_ordered_end(MPI_File file, void*, MPI_Status* status) {
    return access_end(file, Split::read_ordered, status);
}

int File_write_shared(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, writing(Pointer::shared, buffer, count, type), status);
}

int File_iwrite_shared(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return access_later(file, writing(Pointer::shared, buffer, count, type), request);
}

int File_write_ordered(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    return access_now(file, writing(Pointer::ordered, buffer, count, type), status);
}

int File_write_ordered_begin(MPI_File file, const void* buffer, int count, MPI_Datatype type) {
    return access_begin(file, writing(Pointer::ordered, buffer, count, type), Split::write_ordered);
}

int File_write_ordered_end(MPI_File file, const void*, MPI_Status* status) {
    return access_end(file, Split::write_ordered, status);
}

} // namespace orrery::emulate::mpi
