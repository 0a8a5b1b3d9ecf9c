// The whole result of a schedule that the LogGOPS driver ran: what its prediction leaves to be counted.
//
// The driver keeps what it needs while it runs, 32 bytes per rank. The rest follows from the schedule: how many
// messages have which size, and what of a rank's overhead is that of its own sends. Ranks with the same program
// are counted once.
#pragma once

#include "network/loggops/parameters.h"
#include "results/replay_prediction.h"
#include "workload/schedule.h"

namespace orrery {

ReplayPrediction loggops_result(Prediction prediction, const Schedule& schedule, const LogGOPS& parameters);

} // namespace orrery
