// Which files make up a time-independent trace, and how its ranks are spread over them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::ti {

struct Layout {
    std::vector<std::string> paths; // of rank 0, 1, ..., or a single one
    bool merged = false;            // one file holds the lines of all ranks
    std::string shown;              // how messages name the whole: "run/rank-*.txt"
};

// `path`: a directory with a file per rank, a list of files, or a trace. Throws InputError that says what was
// found and what is missing.
Layout find_files(const std::string& path);

// By its first lines, unpacked: whether a file is a trace ("0 init"), or names files that are.
bool is_trace_text(const std::string& path);
bool is_list(const std::string& path);
// Whether a directory has any such file, be the trace complete or not.
bool holds_trace(const std::string& directory);

} // namespace orrery::ti
