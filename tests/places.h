// Where the tests find their data and the programs, and what was built. The paths are in one object
// (places.cpp.in): another clone finds all the others in the compiler cache.
#pragma once

#include <string>

namespace orrery {

std::string project_folder();
std::string build_folder();
std::string built_version();
std::string build_type();
std::string built_sanitizers();

inline std::string test_data() { return project_folder() + "/tests/data"; }
inline std::string orrery_program() { return build_folder() + "/orrery"; }

} // namespace orrery
