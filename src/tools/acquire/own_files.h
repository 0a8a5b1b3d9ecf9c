// What this build made for one MPI, and where it is now: in the build folder, or installed.
#pragma once

#include "tools/acquire/mpi_program.h"

#include <string>
#include <vector>

namespace orrery {

// Where it is looked for, in this order: ORRERY_LIBRARY_DIR alone if that is set; otherwise beside the running
// program, then in the library folders that belong to its bin folder.
std::vector<std::string> own_folders();

// Throw UsageError naming what was looked for, and where, if this build has none.
std::string tracer_library(MpiKind kind);    // liborrery-trace-openmpi.so
std::string calibrate_program(MpiKind kind); // orrery-calibrate-openmpi
bool has_tracer_library(MpiKind kind);

} // namespace orrery
