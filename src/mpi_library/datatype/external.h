// The external32 form of data (MPI-3.1, 13.5.2): big-endian, with sizes that are the same everywhere.
#pragma once

#include "mpi_library/datatype/datatype.h"

#include <cstddef>

namespace orrery::emulate::mpi {

Bytes external_size(const Datatype& type); // of one element

// `count` elements between the packed form and external32; both return the end of what they wrote.
std::byte* to_external(const Datatype& type, std::int64_t count, const std::byte* packed, std::byte* external);
std::byte* from_external(const Datatype& type, std::int64_t count, const std::byte* external,
                         std::byte* packed);

} // namespace orrery::emulate::mpi
