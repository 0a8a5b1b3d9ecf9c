// What a rank sees of a file: the data of a filetype, laid one after the other from a displacement on.
//
// The stream of a view is the bytes that it shows, in order; positions in it are counted in etypes.
#pragma once

#include "mpi_library/datatype/datatype.h"
#include "orrery/mpi/mpi.h"

#include <cstddef>
#include <string>

namespace orrery::emulate::mpi {

struct View {
    View(); // all bytes of the file

    MPI_Offset displacement = 0;
    TypeRef etype;
    TypeRef filetype;
    std::string representation = "native";
    bool external = false; // external32

    [[nodiscard]] Bytes stream_offset(MPI_Offset etypes) const {
        return static_cast<Bytes>(etypes) * etype->size();
    }
    // Where a byte of the stream is in the file.
    [[nodiscard]] MPI_Offset byte_offset(Bytes stream) const;
    // How many etypes of the stream lie, at least partly, in a file of so many bytes.
    [[nodiscard]] MPI_Offset etypes_in(MPI_Offset file_bytes) const;
    // In bytes, as they are in the file.
    [[nodiscard]] Bytes size_of(const Datatype& type) const;
    [[nodiscard]] MPI_Offset extent_of(const Datatype& type) const;
};

// Whether its blocks begin at 0 or later and do not go back, nor overlap unless they may (a file that is only
// read).
bool is_ascending(const Datatype& type, bool overlaps_allowed);

// Bytes [first, first + bytes) of the stream. What was moved (less at the end of the file), with the system's
// error or 0.
struct Moved {
    Bytes bytes = 0;
    int error = 0;
};
Moved read_stream(int descriptor, const View& view, Bytes first, Bytes bytes, std::byte* to);
Moved write_stream(int descriptor, const View& view, Bytes first, Bytes bytes, const std::byte* from);

} // namespace orrery::emulate::mpi
