// MPI_Pack and its relatives.
#include "functions.h"
#include "mpi_library/datatype/checks.h"
#include "mpi_library/datatype/external.h"
#include "mpi_library/datatype/transfer.h"

#include <climits>
#include <cstring>
#include <memory>

namespace orrery::emulate::mpi {

namespace {

// Room for `bytes` in a buffer of `size` bytes of which `position` are used. Returns where they begin.
std::int64_t room_at(std::int64_t position, Bytes bytes, std::int64_t size, int code, const char* what) {
    if (size < 0 || position < 0 || position > size) {
        throw Failure(MPI_ERR_ARG, "the position is not in the buffer of packed data");
    }
    if (bytes > static_cast<Bytes>(size - position)) {
        throw Failure(code, std::string(what) + ": " + std::to_string(bytes) + " bytes do not fit into the " +
                                std::to_string(size - position) + " that are left");
    }
    return position;
}

Bytes packed_bytes(const Datatype& type, int count) {
    check_count(count);
    return type.size() * static_cast<Bytes>(count);
}

void check_external32(const char* datarep) {
    if (datarep == nullptr || std::strcmp(datarep, "external32") != 0) {
        throw Failure(MPI_ERR_ARG, "the only data representation to pack in is external32");
    }
}

} // namespace

int Pack(const void* inbuf, int incount, MPI_Datatype handle, void* outbuf, int outsize, int* position,
         MPI_Comm) {
    const Datatype& type = committed_datatype(handle);
    const Bytes bytes = packed_bytes(type, incount);
    const std::int64_t at = room_at(*position, bytes, outsize, MPI_ERR_TRUNCATE, "MPI_Pack");
    pack(type, inbuf, incount, 0, bytes, static_cast<std::byte*>(outbuf) + at);
    *position += static_cast<int>(bytes);
    return MPI_SUCCESS;
}

int Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype handle,
           MPI_Comm) {
    const Datatype& type = committed_datatype(handle);
    const Bytes bytes = packed_bytes(type, outcount);
    const std::int64_t at = room_at(*position, bytes, insize, MPI_ERR_TRUNCATE, "MPI_Unpack");
    unpack(type, outbuf, outcount, 0, bytes, static_cast<const std::byte*>(inbuf) + at);
    *position += static_cast<int>(bytes);
    return MPI_SUCCESS;
}

int Pack_size(int incount, MPI_Datatype handle, MPI_Comm, int* size) {
    const Bytes bytes = packed_bytes(datatype(handle), incount);
    *size = bytes > INT_MAX ? MPI_UNDEFINED : static_cast<int>(bytes);
    return MPI_SUCCESS;
}

int Pack_external(const char* datarep, const void* inbuf, int incount, MPI_Datatype handle, void* outbuf,
                  MPI_Aint outsize, MPI_Aint* position) {
    check_external32(datarep);
    const Datatype& type = committed_datatype(handle);
    const Bytes bytes = packed_bytes(type, incount);
    const Bytes external = external_size(type) * static_cast<Bytes>(incount);
    const std::int64_t at = room_at(*position, external, outsize, MPI_ERR_TRUNCATE, "MPI_Pack_external");
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
    pack(type, inbuf, incount, 0, bytes, packed.get());
    to_external(type, incount, packed.get(), static_cast<std::byte*>(outbuf) + at);
    *position += static_cast<MPI_Aint>(external);
    return MPI_SUCCESS;
}

int Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
                    int outcount, MPI_Datatype handle) {
    check_external32(datarep);
    const Datatype& type = committed_datatype(handle);
    const Bytes bytes = packed_bytes(type, outcount);
    const Bytes external = external_size(type) * static_cast<Bytes>(outcount);
    const std::int64_t at = room_at(*position, external, insize, MPI_ERR_TRUNCATE, "MPI_Unpack_external");
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
    from_external(type, outcount, static_cast<const std::byte*>(inbuf) + at, packed.get());
    unpack(type, outbuf, outcount, 0, bytes, packed.get());
    *position += static_cast<MPI_Aint>(external);
    return MPI_SUCCESS;
}

int Pack_external_size(const char* datarep, int incount, MPI_Datatype handle, MPI_Aint* size) {
    check_external32(datarep);
    check_count(incount);
    *size = static_cast<MPI_Aint>(external_size(datatype(handle)) * static_cast<Bytes>(incount));
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
