// The stop and go marks of a buffer, in flits.
#pragma once

#include "network/packet/parameters.h"

#include <cstdint>

namespace orrery::packet {

struct Marks {
    std::uint32_t stop = 0;
    std::uint32_t go = 0;
};

// Of the buffers at the end of a channel. `unit`: the most flits that are sent whatever the signal, once begun
// (a segment; 1 with wormhole). Throws InputError if the slack above the stop mark cannot hold what may start
// within a round trip, ceil(2 latency / T) + unit flits.
Marks marks_of(const Fabric& fabric, LinkId channel, const PacketParameters& parameters, Time flit_time,
               std::uint32_t unit);

} // namespace orrery::packet
