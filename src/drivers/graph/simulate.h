// Runs a schedule in the LogGOPS model and predicts when each rank ends.
#pragma once

#include "machine/noise.h"
#include "machine/start_skew.h"
#include "network/loggops/parameters.h"
#include "results/prediction.h"
#include "results/recording.h"
#include "workload/schedule.h"

#include <cstdint>
#include <functional>

namespace orrery {

// Told now and then during a long run: operations done so far, and the simulated time.
using ProgressHook = std::function<void(std::uint64_t operations_done, Time now)>;

struct SimulationOptions {
    LogGOPS loggops;
    Noise* noise = nullptr;         // no noise
    Recording* recording = nullptr; // filled if given; costs about 100 bytes per activity
    ProgressHook progress;
    StartSkew skew{};
};

// Throws SimulationError if the schedule deadlocks or leaves messages unreceived (the message names the
// operations and the cycle), InputError if the schedule is damaged. The same input gives the same result to the
// last bit.
Prediction simulate(const Schedule& schedule, const SimulationOptions& options);

} // namespace orrery
