// How much is said: -q, --quiet and -v, --verbose, which mean the same in every verb that has them.
//
// quiet: the result only, no progress, no notes. verbose: also what is read, built and chosen, on the standard
// error.
#pragma once

#include "cli/command_line.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace orrery::cli {

// Adds both options.
void add_verbosity(const Verb& verb);

[[nodiscard]] bool quiet();
[[nodiscard]] bool verbose();

// A line on the standard error if it is verbose.
void explain_line(const std::string& line);
template <typename... Values> void explain(fmt::format_string<Values...> format, Values&&... values) {
    if (verbose()) explain_line(fmt::format(format, std::forward<Values>(values)...));
}

} // namespace orrery::cli
