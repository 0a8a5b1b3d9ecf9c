// A Recording as an EventLog: so that schedules on loggops have all that its readers make.
#pragma once

#include "network/loggops/parameters.h"
#include "results/event_log.h"
#include "results/recording.h"

namespace orrery {

// `log`: empty. `parameters`: of the run. The ranks are hosts of their own. Memory beside the log: 4 bytes per
// activity.
void log_events(const Recording& recording, const LogGOPS& parameters, EventLog& log);

} // namespace orrery
