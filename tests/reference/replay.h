// The replay of traces, slow and obvious: the oracle of drivers/trace over protocol/.
//
// What docs/replay.md says, word for word: each call is straight-line code, all that happens lies in lists that
// are searched from one end to the other, and nothing is ever removed that might be asked for again. Shared
// with the code under test are its input (actions, options, platform, noise) and the steps of collective
// algorithms.
//
// Endpoints without interfaces of their own, over a network in closed form (DelayNetwork).
#pragma once

#include "machine/platform.h"
#include "protocol/replay_options.h"
#include "reference/delay_network.h"
#include "results/replay_prediction.h"
#include "workload/action.h"

#include <cstdint>
#include <vector>

namespace orrery::reference {

struct ReferenceReplay {
    bool stuck = false;           // a rank did not end, or nobody has received a message
    std::vector<Time> finish;     // per rank
    std::vector<CallTimes> calls; // per rank
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

// `hosts`: where each rank runs.
ReferenceReplay reference_replay(ActionSource& actions, const Platform& platform,
                                 const std::vector<HostId>& hosts, const Delays& delays,
                                 const ReplayOptions& options);

} // namespace orrery::reference
