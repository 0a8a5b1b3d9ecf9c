// Replays traces over any network: the actions of each rank in order, as MPI would perform them.
//
// This is the one call that the command line, the studies and the tests make. It wants the platform on which
// the ranks run, a network over it, an endpoint and a way to choose collective algorithms.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "machine/platform.h"
#include "network/network.h"
#include "protocol/replay_options.h"
#include "results/replay_prediction.h"
#include "workload/action.h"

#include <vector>

namespace orrery {

// One application of a replay; several may run at once and share the machine.
struct ReplayJob {
    ActionSource* actions = nullptr;
    Time start;
    std::vector<HostId> hosts; // one per rank
    double rate = 0;           // of its computations, in volume per second; 0: the speed of each host
};

// Throws SimulationError if ranks wait for each other for ever, if a message is never received, or if ranks
// call different collectives; the message names ranks, calls, files and lines. The same input gives the same
// result to the last bit.
ReplayPrediction replay(std::vector<ReplayJob> jobs, const Platform& platform, Network& network,
                        const ReplayOptions& options);

} // namespace orrery
