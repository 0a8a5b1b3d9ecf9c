// Runs a schedule (a graph of sends, receives and computations per rank) over any network.
//
// The same schedules that `simulate` runs in the LogGOPS model, here over links and routes, by the protocol
// that traces and programs have (RankEngine). An operation is ready when what it requires is over, and starts
// when its CPU is free; a receive takes none of the CPU's time. While a CPU has nothing to do it takes the
// messages that have arrived for its receives (protocol/rank_cpus.h). Network interfaces are the network's
// business here: those of the schedule and of the endpoint are ignored.
#pragma once

#include "machine/platform.h"
#include "network/network.h"
#include "protocol/replay_options.h"
#include "results/replay_prediction.h"
#include "workload/schedule.h"

#include <vector>

namespace orrery {

// `hosts`: where each rank runs. Throws SimulationError if the schedule cannot finish, naming the operations.
ReplayPrediction replay(const Schedule& schedule, const Platform& platform, const std::vector<HostId>& hosts,
                        Network& network, const ReplayOptions& options);

} // namespace orrery
