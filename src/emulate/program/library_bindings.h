// Binds names of the libraries that are loaded, as the loader of programs does with those of a program.
#pragma once

#include "emulate/program/symbol.h"

#include <span>

namespace orrery::emulate {

// From now on calls of these functions by any shared library, the C library included, lead to the given
// addresses, for the rest of the process. Not those by `orrery` itself, and by libraries that are loaded later.
void bind_libraries(std::span<const Symbol> symbols);

} // namespace orrery::emulate
