// What to show of a random schedule on which two simulators disagree: a small one, as text that can be
// replayed.
#pragma once

#include "reference/random_schedule.h"

#include <functional>
#include <string>
#include <vector>

namespace orrery::reference {

// The schedule as GOAL text (durations in ns: those of random_case are whole).
std::string to_goal(const std::vector<RankGraph>& ranks);

// Removes operations, messages and dependencies as long as `fails` stays true.
RandomCase minimise(RandomCase failing, const std::function<bool(const RandomCase&)>& fails);

} // namespace orrery::reference
