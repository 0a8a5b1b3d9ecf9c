// What `orrery convert` does with time-independent traces.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

struct TraceConversion {
    std::string in;
    std::string out;
    std::string to;                       // empty: by the name of the output
    std::string speed;                    // of the computations in a schedule; empty: the trace's own reference
    std::vector<std::string> collectives; // how they become messages
    bool allow_truncated = false;
};

// Whether the output is a trace: by `to` (ort, oti, dim, ti, old-ti, simgrid,
// old-simgrid) or, if that is empty, by its name (.ort, .oti, .dim, .txt, .ti, or a directory that ends in
// '/').
bool is_trace_output(const std::string& out, const std::string& to);

// From any form of such a trace to another or to a schedule; prints a line. Throws UsageError if `in` is none.
void convert_trace(const TraceConversion& conversion);

} // namespace orrery::cli
