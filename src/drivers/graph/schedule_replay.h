// Runs a schedule (a graph of sends, receives and computations per rank) over any network.
//
// The same schedules that `simulate` runs in the LogGOPS model, here over links and routes: an operation starts
// when what it requires is over; computations and the overheads of messages occupy their CPU one after the
// other, in the order in which they became ready. Network interfaces are the network's business, so the
// schedule's are ignored.
#pragma once

#include "machine/platform.h"
#include "network/network.h"
#include "protocol/replay_options.h"
#include "results/replay_prediction.h"
#include "workload/schedule.h"

namespace orrery {

// `hosts`: where each rank runs. Throws SimulationError if the schedule cannot finish, naming the operations.
ReplayPrediction replay(const Schedule& schedule, const std::vector<HostId>& hosts, Network& network,
                        const ReplayOptions& options);

} // namespace orrery
