// A packet network that moves flit by flit, cycle by cycle, exactly as docs/packet.md says: the
// slow, obvious twin of network/packet.
//
// A cycle is the greatest common divisor of all times that occur (flit times, latencies, delays, starts of
// messages). Each cycle looks at every channel.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/routing/routing.h"
#include "network/packet/parameters.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::reference {

struct FlitMessage {
    HostId from;
    HostId to; // another one
    Bytes bytes = 0;
    Time time;
    bool control = false;
};

// One segment on one channel.
struct FlitTraversal {
    std::uint32_t message = 0;
    std::uint32_t segment = 0;
    LinkId channel;
    std::uint32_t lane = 0;
    Time start;
    Time end;
    auto operator<=>(const FlitTraversal&) const = default;
};

struct FlitRun {
    std::vector<Time> arrivals;            // of each message; Time::max() if it never arrives (a deadlock)
    std::vector<FlitTraversal> traversals; // those that have ended, sorted
};

// Messages in the order of their times. Throws std::logic_error if a buffer overflows or a wire runs dry within
// a segment: the page says that neither happens.
FlitRun run_flits(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                  std::span<const FlitMessage> messages);

} // namespace orrery::reference
