// What `orrery convert` and `orrery info` do with time-independent traces.
#pragma once

#include <string>

namespace orrery::cli {

// Whether the output is a time-independent trace: by `to` (oti, ti, old-ti) or, if that is empty, by its name
// (.oti, .txt, .ti, or a directory that ends in '/').
bool is_trace_output(const std::string& out, const std::string& to);

// From any form of such a trace to another; prints a line. Throws UsageError if `in` or `out` is none.
void convert_trace(const std::string& in, const std::string& out, const std::string& to);

void print_trace_info(const std::string& path, bool json);

} // namespace orrery::cli
