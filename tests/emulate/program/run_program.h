// Builds a small program as the compiler wrappers do and starts it, by itself or under the runner.
#pragma once

#include "places.h"

#include <string>

namespace orrery::emulate::program_tests {

struct Ran {
    int code = -1; // 128 + the signal if it was killed
    std::string out, err;
};

inline std::string program_sources() { return project_folder() + "/tests/emulate/program/programs"; }
Ran run_command(const std::string& command);
bool have(const std::string& compiler);
// The path of the built program; `source` is a file of programs/ (several: separated by blanks). Fails the test
// if it does not compile.
std::string build(const std::string& compiler, const std::string& source, const std::string& name,
                  const std::string& flags = {});
Ran run_ranks(unsigned int ranks, const std::string& options, const std::string& program_and_arguments);

} // namespace orrery::emulate::program_tests
