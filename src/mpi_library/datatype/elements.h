// Basic elements of datatypes in the order of the type map.
#pragma once

#include "mpi_library/datatype/datatype.h"

#include <cstdint>

namespace orrery::emulate::mpi {

// Whole basic elements in the first `bytes` bytes of packed data of the type, any number of times.
std::int64_t elements_in(const Datatype& type, Bytes bytes);
// Bytes of the first `elements` basic elements.
Bytes bytes_of_elements(const Datatype& type, std::int64_t elements);

} // namespace orrery::emulate::mpi
