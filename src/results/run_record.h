// What a run was made from: enough to tell it from another, and to repeat it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

struct InputFile {
    std::string role; // what it is for: "workload", "machine", "hostfile", ...
    std::string name; // as the user wrote it; of an included machine: that machine's name
    std::string hash; // of the content, 32 hexadecimal digits (XXH3, 128 bits)
    std::uint64_t bytes = 0;
    std::uint64_t files = 1; // of a trace
};

struct RunRecord {
    std::string version;              // of Orrery
    std::vector<std::string> command; // the command line, word for word
    std::vector<InputFile> inputs;    // by their content
};

} // namespace orrery
