// What the user should know about how the computation was measured.
#pragma once

#include "emulate/compute/compute.h"
#include "results/replay_prediction.h"

namespace orrery::emulate {

// A note about bursts that were replaced; a warning if much of the time is doubtful. `recorded`: where the
// bursts came from, or null if they were measured now.
void tell_computation(const Compute& compute, const RecordedBursts* recorded, ReplayPrediction& prediction);

} // namespace orrery::emulate
