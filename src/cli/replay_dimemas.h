// `orrery replay x.dim --on x.cfg`: in the model of Dimemas itself.
#pragma once

#include "cli/simulate_options.h"

#include <string>

namespace orrery::cli {

// If the scenario asks for that model: simulates, prints, and says true.
bool replay_dimemas(const std::string& input, const SimulateArguments& arguments);

} // namespace orrery::cli
