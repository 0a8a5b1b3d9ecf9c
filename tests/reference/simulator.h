// The LogGOPS model, slow and obvious: the oracle of the fast simulator in src/mpi.
//
// One ordered set of events, linear searches, a busy resource means that the event is put back. Nothing here is
// clever, and nothing is shared with the code under test but the input types and the rounding of Time::from_ps.
#pragma once

#include "engine/time.h"
#include "network/loggops/parameters.h"
#include "workload/graph.h"

#include <cstdint>
#include <vector>

namespace orrery::reference {

// Something left over at the end: an operation that did not end, or a message that nobody received.
struct Leftover {
    std::uint32_t rank = 0; // of the operation; for a message, the rank that it arrived at
    std::uint32_t op = 0;   // the operation; for a message, the send operation on rank `source`
    bool started = false;   // it started and waits for its partner; not started: its dependencies never fell
    bool message = false;   // an unreceived message, not an operation
    std::uint32_t source = 0;
};

struct ReferenceResult {
    std::vector<Time> finish;             // of each rank: the latest time at which one of its CPUs becomes free
    std::uint64_t events = 0;             // operations + messages (control messages are not counted)
    bool deadlock = false;                // something was left over
    std::vector<Leftover> unmatched;      // what, by rank
    std::vector<Time> compute;            // CPU time of each rank in calc operations
    std::vector<Time> overhead;           // and in sending and receiving
    std::vector<std::vector<Time>> start; // of each operation of each rank, as far as it started
    std::vector<std::vector<Time>> end;   // and ended
};

ReferenceResult reference_simulate(const std::vector<RankGraph>& ranks, const LogGOPS& parameters);

} // namespace orrery::reference
