// A Recording told to a ReplayObserver: so that schedules on loggops have all that watchers of replays make.
//
// Operations are told as the actions of a trace that they amount to: a send is an isend, the posting of a
// receive an irecv, what a message costs its receiver's CPU a recv. A sender whose rendezvous keeps its CPU
// waits.
#pragma once

#include "network/loggops/parameters.h"
#include "results/recording.h"
#include "results/replay_log.h"

namespace orrery {

// In the order of the starts. `parameters`: of the run. Memory: a few words per CPU, per receive that waits and
// per message on its way.
void tell(const Recording& recording, const LogGOPS& parameters, ReplayObserver& observer);

// CPUs per rank that the recording uses.
std::uint32_t cpus_of(const Recording& recording);

} // namespace orrery
