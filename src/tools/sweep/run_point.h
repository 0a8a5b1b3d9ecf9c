// One point of a study, from what it sets to its result.
#pragma once

#include "simulation/simulation.h"
#include "tools/sweep/point_result.h"
#include "tools/sweep/study_keys.h"

#include <string>

namespace orrery {

// Throws UsageError if what the point sets does not fit together, as far as that can be seen at once.
void check_point(const Assignments& point);

// The simulation part of a point; paths are relative to `study_file`.
SimulationText simulation_text_of(const Assignments& point, const std::string& study_file);

// Bad input, a deadlock and the like become a failed result with their message.
PointResult run_point(const Assignments& point, const std::string& study_file);

} // namespace orrery
