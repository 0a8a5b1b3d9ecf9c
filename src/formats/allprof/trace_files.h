// Which files make up a trace: one per rank, whose names differ in the number of the rank only.
#pragma once

#include <string>
#include <vector>

namespace orrery {

namespace allprof {

struct TraceFiles {
    std::vector<std::string> paths;   // of rank 0, 1, ...
    std::string pattern;              // "run/pmpi-trace-rank-*.txt"
    std::vector<std::string> ignored; // other files of the directory that was given
};

// `path`: a directory, or the file of any rank. Throws InputError that says what was found and what is missing.
TraceFiles find_trace_files(const std::string& path);

} // namespace allprof

// Whether `path` is a trace of liballprof (a directory with one, or the file of one rank). Reads a few
// kilobytes.
bool looks_like_allprof(const std::string& path);

} // namespace orrery
