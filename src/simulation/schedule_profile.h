// What the operations of a schedule amount to, as the calls of other workloads do.
#pragma once

#include "results/replay_prediction.h"
#include "workload/schedule.h"

namespace orrery {

// Of a run that has come to its end: each operation was performed, and each message received.
void add_schedule_profile(ReplayPrediction& prediction, const Schedule& schedule);

} // namespace orrery
