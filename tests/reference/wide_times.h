// What messages take over a row of channels, nobody else being there, in 128-bit integers and long doubles: no
// step can overflow.
//
// The slow twins of the networks for machines with extreme numbers. A message of the packet network is followed
// segment by segment and hop by hop.
#pragma once

#include "engine/ids.h"
#include "network/packet/parameters.h"

#include <cstdint>
#include <vector>

namespace orrery::reference {

__extension__ using Wide = __int128; // picoseconds

struct WideChannel {
    double bandwidth = 0; // bytes per second
    Wide latency = 0;
};

Wide wide_round(long double picoseconds);
long double slowest(const std::vector<WideChannel>& route); // bytes per second
Wide latency_of(const std::vector<WideChannel>& route);

// Flow and kpacket: B / (the slowest bandwidth), and all latencies.
long double flow_time(const std::vector<WideChannel>& route, Bytes bytes);

// What a flit takes, rounded as the network does.
Wide flit_time(const WideChannel& channel, const PacketParameters& parameters);

// Cut-through with credits: messages of so many bytes, each started when the one before has arrived. The caller
// sees to it that they have not too many segments.
Wide cut_through_time(const std::vector<WideChannel>& route, Bytes bytes, std::uint32_t messages,
                      const PacketParameters& parameters);

} // namespace orrery::reference
