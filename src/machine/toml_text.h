// TOML of any origin: what is wrong with it is an InputError, whatever it holds.
#pragma once

#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace orrery {

// Throws InputError with line and column; also for keys of so many parts (a.b.c...) that tables within tables
// would take the whole stack.
toml::table parse_toml(std::string_view text, const std::string& file);

} // namespace orrery
