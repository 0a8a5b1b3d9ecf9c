// Simulates a Dimemas trace on a Dimemas machine, in the model of Dimemas 5 (docs/dimemas.md).
//
// What it sees: processors shared by the threads of a node; latency at both ends of a message; links, buses and
// their queues; eager and rendezvous messages; collectives by closed forms. What it cannot see: a topology,
// routes, or two messages sharing the rate of a link. Time is in picoseconds where Dimemas has nanoseconds in
// floating point; events at the same time happen in the order in which they were planned, as there.
#pragma once

#include "formats/dimemas/dim_file.h"
#include "formats/dimemas_machine/configuration.h"
#include "machine/noise.h"
#include "results/event_log.h"
#include "results/replay_log.h"
#include "results/replay_prediction.h"

#include <cstdint>
#include <functional>

namespace orrery::dimemas {

struct SimulationOptions {
    Bytes rendezvous_from = ~Bytes{0};  // messages of at least so many bytes wait for their receive
    bool asynchronous_sends = false;    // none waits because the trace says so; those of that size still do
    Noise* noise = nullptr;             // prolongs bursts; its ranks are the threads, counted through all tasks
    ReplayObserver* observer = nullptr; // its ranks are the threads, counted through all tasks
    EventLog* events = nullptr;         // likewise
    std::function<void(std::uint64_t, Time)> progress;
};

// `ranks` of the prediction are the tasks of the trace. Throws InputError for a trace that does not fit the
// machine, SimulationError if it cannot come to its end.
ReplayPrediction simulate(const DimFile& trace, const Configuration& machine,
                          const SimulationOptions& options = {});

} // namespace orrery::dimemas
