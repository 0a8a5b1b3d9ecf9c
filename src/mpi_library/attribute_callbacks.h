// Calling the application's functions of a keyval, in the language it was made in.
#pragma once

#include "mpi_library/attribute.h"

#include <cstdint>

namespace orrery::emulate::mpi {

// `value` is what the language of the keyval sees. Both throw Failure if the function returns an error.
void call_remove(const Keyval& keyval, int object, int number, std::int64_t value);
// False: the attribute is not copied. Otherwise `value` becomes that of the copy.
bool call_copy(const Keyval& keyval, int object, int number, std::int64_t& value);

} // namespace orrery::emulate::mpi
