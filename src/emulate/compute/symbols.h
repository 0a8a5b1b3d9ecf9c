// Names of the program that are bound to the emulator's time of computation.
#pragma once

#include "emulate/program/symbol.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::emulate {

// What include/orrery/emulate.h declares about time, sorted by name.
std::span<const Symbol> compute_symbols();

// --skip: functions of the program that return at once with 0, as a number of either kind. A pattern may have
// the wildcards * and ?; it is compared with the names that the program refers to. The patterns that no name
// fits go to `unused`. The names in the result are those of `names`, which must live as long.
std::vector<Symbol> skip_symbols(std::span<const std::string> patterns, std::span<const char* const> names,
                                 std::vector<std::string>& unused);

} // namespace orrery::emulate
