// Where the flows of a pattern meet under a routing: conflicts in the network, and at the ends of the flows.
#pragma once

#include "machine/routing/pattern.h"
#include "machine/routing/routing.h"

#include <cstdint>
#include <vector>

namespace orrery {

struct ChannelLoad {
    std::uint32_t flows = 0;      // in the busiest phase
    std::uint32_t contention = 0; // the smaller number of their senders and receivers (contention.h)
    Bytes bytes = 0;              // in all phases
};

struct PatternLoad {
    std::vector<ChannelLoad> channels; // by LinkId
    // Of channels between switches:
    std::uint32_t most_flows = 0;
    std::uint32_t most_contention = 0;
    LinkId worst = no_link; // has the most contention, of these the most flows, of these the first
    std::vector<std::uint64_t> with_flows; // [k]: how many have k flows
    // Of hosts, in a phase: what no routing can mend.
    std::uint32_t most_sent = 0;
    std::uint32_t most_received = 0;
    // The routing chooses anew each time: the figures are those of one choice, on an idle network.
    bool one_of_many = false;
};

PatternLoad load_of(const Fabric& fabric, const Routing& routing, const HostPattern& pattern);

} // namespace orrery
