#include "mpi_library/io/access.h"

#include "mpi_library/datatype/external.h"
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/request.h"

#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

using Pointer = FileAccess::Pointer;
using ByteBuffer = std::unique_ptr<std::byte[]>;

void check_allowed(const File& file, const FileAccess& access) {
    if (access.count < 0) throw Failure(MPI_ERR_COUNT, fmt::format("the count is {}", access.count));
    if (access.writes && (file.amode & MPI_MODE_RDONLY) != 0)
        throw Failure(MPI_ERR_READ_ONLY, "the file was opened for reading only");
    if (!access.writes && (file.amode & MPI_MODE_WRONLY) != 0)
        throw Failure(MPI_ERR_ACCESS, "the file was opened for writing only");
    const bool anywhere = access.pointer == Pointer::none || access.pointer == Pointer::own;
    if (anywhere && (file.amode & MPI_MODE_SEQUENTIAL) != 0)
        throw Failure(MPI_ERR_UNSUPPORTED_OPERATION, "a sequential file has the shared pointer only");
    if (access.offset < 0) throw Failure(MPI_ERR_ARG, fmt::format("the offset is {}", access.offset));
}

Bytes in_file(const View& view, const FileAccess& access, const Datatype& type) {
    const Bytes bytes = view.size_of(type) * static_cast<Bytes>(access.count);
    if (bytes == 0) return 0;
    if (view.etype->size() == 0 || bytes % view.etype->size() != 0)
        throw Failure(MPI_ERR_IO, "only whole etypes of the view can be read and written");
    if (access.buffer == nullptr && type.dense()) throw Failure(MPI_ERR_BUFFER, "the buffer is a null pointer");
    return bytes;
}

// Members access the file as if one after the other, in the order of their ranks.
MPI_Offset ordered_begin(File& file, MPI_Offset etypes) {
    const std::size_t own = file.comm->member.rank;
    file.all->amounts.resize(static_cast<std::size_t>(file.comm->size()));
    file.all->amounts[own] = etypes;
    (void)file.once([](OpenFile& all) {
        all.begins.resize(all.amounts.size());
        std::exclusive_scan(all.amounts.begin(), all.amounts.end(), all.begins.begin(), all.shared);
        all.shared = all.begins.back() + all.amounts.back();
        return MPI_SUCCESS;
    });
    return file.all->begins[own];
}

// Where it begins, in etypes; shared pointers move on.
MPI_Offset begin_of(File& file, const FileAccess& access, MPI_Offset etypes) {
    switch (access.pointer) {
    case Pointer::own: return file.position;
    case Pointer::shared: return std::exchange(file.all->shared, file.all->shared + etypes);
    case Pointer::ordered: return ordered_begin(file, etypes);
    case Pointer::none: break;
    }
    return access.offset;
}

Moved write(const File& file, const FileAccess& access, const Datatype& type, Bytes first, Bytes bytes) {
    const int descriptor = file.all->descriptor;
    const bool external = file.view.external;
    if (type.dense() && !external)
        return write_stream(descriptor, file.view, first, bytes, static_cast<const std::byte*>(access.buffer));
    const Bytes packed_bytes = type.size() * static_cast<Bytes>(access.count);
    ByteBuffer packed = std::make_unique_for_overwrite<std::byte[]>(packed_bytes);
    pack(type, access.buffer, access.count, 0, packed_bytes, packed.get());
    if (external) {
        ByteBuffer converted = std::make_unique_for_overwrite<std::byte[]>(bytes);
        (void)to_external(type, access.count, packed.get(), converted.get());
        packed = std::move(converted);
    }
    return write_stream(descriptor, file.view, first, bytes, packed.get());
}

Moved read(const File& file, const FileAccess& access, const Datatype& type, Bytes first, Bytes bytes) {
    const int descriptor = file.all->descriptor;
    const bool external = file.view.external;
    if (type.dense() && !external)
        return read_stream(descriptor, file.view, first, bytes, static_cast<std::byte*>(access.buffer));
    ByteBuffer found = std::make_unique_for_overwrite<std::byte[]>(bytes);
    const Moved moved = read_stream(descriptor, file.view, first, bytes, found.get());
    Bytes packed_bytes = moved.bytes;
    if (external) { // whole elements only
        const auto elements = static_cast<std::int64_t>(moved.bytes / external_size(type));
        packed_bytes = type.size() * static_cast<Bytes>(elements);
        ByteBuffer packed = std::make_unique_for_overwrite<std::byte[]>(packed_bytes);
        (void)from_external(type, elements, found.get(), packed.get());
        found = std::move(packed);
    }
    unpack(type, access.buffer, access.count, 0, packed_bytes, found.get());
    return moved;
}

MPI_Status perform(File& file, const FileAccess& access) {
    check_allowed(file, access);
    const Datatype& type = committed_datatype(access.type);
    const Bytes bytes = in_file(file.view, access, type);
    const auto etypes = bytes == 0 ? 0 : static_cast<MPI_Offset>(bytes / file.view.etype->size());
    const MPI_Offset begin = begin_of(file, access, etypes);
    MPI_Status status;
    set_empty(&status);
    if (bytes == 0) return status;
    const Bytes first = file.view.stream_offset(begin);
    const Moved moved =
        access.writes ? write(file, access, type, first, bytes) : read(file, access, type, first, bytes);
    if (access.pointer == Pointer::own)
        file.position = begin + static_cast<MPI_Offset>(moved.bytes / file.view.etype->size());
    check_error(class_of(moved.error),
                access.writes ? "writing to " + file.all->path : "reading from " + file.all->path);
    const Bytes of_type = file.view.size_of(type);
    status.bytes_ =
        static_cast<MPI_Count>(file.view.external ? moved.bytes / of_type * type.size() : moved.bytes);
    return status;
}

} // namespace

int access_now(MPI_File handle, const FileAccess& access, MPI_Status* status) {
    return on_file(handle, [&](File& file) {
        const MPI_Status found = perform(file, access);
        if (status == MPI_STATUS_IGNORE) return;
        const int kept = status->MPI_ERROR;
        *status = found;
        status->MPI_ERROR = kept;
    });
}

int access_later(MPI_File handle, const FileAccess& access, MPI_Request* request) {
    return on_file(handle, [&](File& file) { *request = finished_request(perform(file, access)); });
}

int access_begin(MPI_File handle, const FileAccess& access, Split split) {
    return on_file(handle, [&](File& file) {
        if (file.split != Split::none)
            throw Failure(MPI_ERR_OTHER, "another split collective access to the file has not ended");
        file.split_status = perform(file, access);
        file.split = split;
    });
}

int access_end(MPI_File handle, Split split, MPI_Status* status) {
    return on_file(handle, [&](File& file) {
        if (file.split != split) throw Failure(MPI_ERR_OTHER, "no such split collective access was begun");
        file.split = Split::none;
        if (status != MPI_STATUS_IGNORE) *status = file.split_status;
    });
}

} // namespace orrery::emulate::mpi
