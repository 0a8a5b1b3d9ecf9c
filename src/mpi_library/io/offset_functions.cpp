// Reading and writing at offsets that the call gives.
#include "functions.h"
#include "mpi_library/io/access.h"

namespace orrery::emulate::mpi {

namespace {

using Pointer = FileAccess::Pointer;

FileAccess reading(MPI_Offset offset, void* buffer, int count, MPI_Datatype type) {
    return {false, Pointer::none, offset, buffer, count, type};
}

FileAccess writing(MPI_Offset offset, const void* buffer, int count, MPI_Datatype type) {
    return {true, Pointer::none, offset, const_cast<void*>(buffer), count, type};
}

} // namespace

int File_read_at(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status) {
    return access_now(file, reading(offset, buffer, count, type), status);
}

int File_read_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                     MPI_Status* status) {
    return access_now(file, reading(offset, buffer, count, type), status);
}

int File_iread_at(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                  MPI_Request* request) {
    return access_later(file, reading(offset, buffer, count, type), request);
}

int File_iread_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                      MPI_Request* request) {
    return access_later(file, reading(offset, buffer, count, type), request);
}

int File_read_at_all_begin(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type) {
    return access_begin(file, reading(offset, buffer, count, type), Split::read_at_all);
}

int File_read_at_all_end(MPI_File file, void*, MPI_Status* status) {
    return access_end(file, Split::read_at_all, status);
}

int File_write_at(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                  MPI_Status* status) {
    return access_now(file, writing(offset, buffer, count, type), status);
}

int File_write_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                      MPI_Status* status) {
    return access_now(file, writing(offset, buffer, count, type), status);
}

int File_iwrite_at(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                   MPI_Request* request) {
    return access_later(file, writing(offset, buffer, count, type), request);
}

int File_iwrite_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                       MPI_Request* request) {
    return access_later(file, writing(offset, buffer, count, type), request);
}

int File_write_at_all_begin(MPI_File file, MPI_Offset offset, const void* buffer, int count,
                            MPI_Datatype type) {
    return access_begin(file, writing(offset, buffer, count, type), Split::write_at_all);
}

int File_write_at_all_end(MPI_File file, const void*, MPI_Status* status) {
    return access_end(file, Split::write_at_all, status);
}

} // namespace orrery::emulate::mpi
