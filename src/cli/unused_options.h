// Options of a simulation that this one has no use for.
#pragma once

#include "cli/simulate_options.h"

#include <string>
#include <vector>

namespace orrery::cli {

// A sentence for each that was given and is not read. The options of the machine: simulation/unused_settings.h.
std::vector<std::string> unused_options(const SimulateArguments& arguments, NetworkKind network);

} // namespace orrery::cli
