// The schedule that a point runs: made by a pattern, read from a file, or extrapolated from a trace of
// liballprof.
#pragma once

#include "tools/sweep/study_keys.h"
#include "workload/schedule.h"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// Null or empty if the point does not set the key.
const std::string* text_at(const Assignments& point, std::string_view key);
std::string word_at(const Assignments& point, std::string_view key);

inline constexpr std::string_view one_collective = "collective."; // keys that choose one algorithm
// "openmpi", "allreduce=ring": all that `collective` and its kin say.
std::vector<std::string> collectives_of(const Assignments& point);

Schedule schedule_of(const Assignments& point, const std::string& study_file);

} // namespace orrery
