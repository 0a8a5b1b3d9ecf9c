// Standard input, output and error: results that cannot be written are an error, not a silence.
#pragma once

#include <optional>
#include <string>

namespace orrery::cli {

// Gives each descriptor of 0 to 2 that is closed to something that cannot be used: otherwise the next file that
// is opened gets its number, and the summary or an error message ends up in that file. Call it first.
void hold_closed_streams();

// A file that would grow beyond the limit of the shell (ulimit -f) is an error of the write, not a signal.
void report_size_limits();

// What the user is told. `reason`: of the system; empty: unknown.
std::string lost_output_words(const std::string& reason);

// Writes what the standard output still holds. The words if this, or anything
// before it, could not be written.
std::optional<std::string> flush_standard_output();

} // namespace orrery::cli
