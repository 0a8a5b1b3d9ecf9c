// A time-independent trace as a schedule (GOAL): every action becomes operations with the dependencies of a
// rank that does one thing after the other.
//
// Computations become calc operations of volume / speed. A blocking call is waited for by what follows it, a
// nonblocking one until it has started, and until it has ended by what follows its wait. Collectives become the
// messages of the algorithm that the policy chooses; a nonblocking one is a chain of its own beside the rank's,
// on a second CPU, because it makes progress while the rank computes.
#pragma once

#include "collectives/selection.h"
#include "formats/export/left_out.h"
#include "workload/action.h"
#include "workload/sink.h"
#include "workload/trace_communicators.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

struct TraceScheduleOptions {
    CollectivePolicy collectives = CollectivePolicy(Selector::openmpi);
    double speed = 0;               // units of the trace's volumes per second
    bool whole_nanoseconds = false; // GOAL text and LogGOPSim's binary have no smaller unit
};

// What a schedule cannot say as the trace does, counted.
struct TraceScheduleNotes {
    std::uint64_t any_tag = 0; // receives of any tag beside messages of several communicators or collectives
    std::uint64_t choices = 0; // waits for any of several requests: taken as the first of them
    std::uint64_t probes = 0;  // left out
    std::uint64_t tests = 0;   // left out
    std::uint64_t synchronous = 0; // sends that wait for their receive: plain sends
    LeftOut left_out;
    [[nodiscard]] std::vector<std::string> words() const;
};

// Rank by rank into `sink`. `communicators` was read from another source of the same trace.
TraceScheduleNotes write_schedule(ActionSource& source, const TraceCommunicators& communicators,
                                  const TraceScheduleOptions& options, ScheduleSink& sink);

} // namespace orrery
