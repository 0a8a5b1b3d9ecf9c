// `orrery extrapolate` of a trace of actions: recorded (.ort), time-independent (text, .oti), of Dimemas or
// Paraver.
#pragma once

#include "cli/simulate_options.h"

#include <string>
#include <vector>

namespace orrery::cli {

struct TraceExtrapolation {
    std::string trace;
    std::string ranks;  // empty: as in the trace
    std::string output; // empty: simulate
    std::string to;     // format of the output; empty: by its name
    std::string speed;  // of computations in a schedule
    std::vector<std::string> collectives;
    bool allow_truncated = false;
    SimulateArguments simulate;
};

void extrapolate_trace(const TraceExtrapolation& wanted);

} // namespace orrery::cli
