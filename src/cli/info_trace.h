// What `orrery info` says of time-independent traces.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

struct TraceInfo {
    std::string path;
    bool json = false;
    bool allow_truncated = false;
    std::string matrix; // file to write; empty: none
    bool matrix_collectives = false;
    std::vector<std::string> collectives; // how they are done, in the matrix
    std::string rates;                    // file to write; empty: none
};

// Throws UsageError if a file's name says no format.
void check_trace_info(const TraceInfo& info);
void print_trace_info(const TraceInfo& info);

} // namespace orrery::cli
