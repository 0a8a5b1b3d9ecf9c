// Moving the data of datatypes: to and from the packed form, and from one layout to another.
//
// The packed form is the data in the order of the type map, without gaps. A part of it, [first, first + bytes),
// can be asked for, so that a message can be moved in pieces.
#pragma once

#include "mpi_library/datatype/datatype.h"

#include <cstddef>
#include <cstdint>

namespace orrery::emulate::mpi {

// All bytes go through this: memory that is folded onto few pages may put its own in place of memcpy.
using CopyBytes = void (*)(void* to, const void* from, Bytes bytes);
extern CopyBytes copy_bytes;

void pack(const Datatype& type, const void* base, std::int64_t count, Bytes first, Bytes bytes, std::byte* out);
void unpack(const Datatype& type, void* base, std::int64_t count, Bytes first, Bytes bytes,
            const std::byte* in);

// The first `bytes` of the data. The two must not overlap, but may be the same dense buffer.
void copy(const Datatype& from_type, const void* from, std::int64_t from_count, const Datatype& to_type,
          void* to, std::int64_t to_count, Bytes bytes);

} // namespace orrery::emulate::mpi
