// Random traffic at one offered load over any network: what arrives, and how long it takes.
//
// Open loop: hosts have new messages whether or not the network keeps up. What waits in front of the network is
// not stored: a message's time and destination are functions of its number. So memory is bounded by
// `outstanding` messages per host inside the network, however far beyond saturation it is driven.
#pragma once

#include "network/network.h"
#include "tools/traffic/pattern.h"
#include "tools/traffic/source.h"

#include <cstdint>

namespace orrery {

struct TrafficOptions {
    Bytes bytes = 512;    // of a message
    double bandwidth = 0; // of a host's injection, bytes per second: offered load is relative to it
    Arrivals arrivals = Arrivals::bernoulli;
    std::uint64_t seed = 1;
    Time warm_up;  // before anything is counted
    Time duration; // of what is counted
    std::uint32_t outstanding = 1024;

    // The time that the bytes of a message take at that bandwidth, in picoseconds.
    [[nodiscard]] double slot() const { return static_cast<double>(bytes) / bandwidth * 1e12; }
};

// Loads are shares of the injection bandwidth of the hosts that send.
struct TrafficPoint {
    double load = 0;            // as asked for
    double offered = 0;         // as it came out of the dice, within the counted time
    double accepted = 0;        // what arrived within the counted time
    std::uint64_t messages = 0; // that began within the counted time
    std::uint64_t arrived = 0;  // of these; fewer if the run was ended because of saturation
    double mean_latency = 0;    // in picoseconds, from when the host had the message, of those that arrived
    Time median, p95, p99, longest;
    bool saturated = false;    // accepted less than 95 % of what was offered, or not all of it arrived
    std::uint64_t carried = 0; // all messages that the network carried
};

TrafficPoint run_traffic(Network& network, const TrafficPattern& pattern, std::uint32_t hosts, double load,
                         const TrafficOptions& options);

} // namespace orrery
