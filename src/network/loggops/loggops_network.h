// The network of the LogGOPS model: latency and the occupation of network interfaces.
//
// Sees: the latency between any two hosts (L), the gap between messages (g) and per byte (G) at each NIC,
// sending and receiving apart (full duplex). Does not see: topology, contention inside the network, packets.
// Parameters: L, g, G of network/loggops/parameters.h. Source: Hoefer, Schneider, Lumsdaine,
// "LogGOPSim", 1.2, 2.3.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "network/loggops/parameters.h"

namespace orrery {

class LogGOPSNetwork {
  public:
    explicit LogGOPSNetwork(const LogGOPS& parameters)
        : L_(parameters.L), g_(parameters.g), G_(parameters.G * Time::ticks_per_ps()) {}

    // For how long a message occupies a NIC, on either side: g + (s-1)G.
    [[nodiscard]] Time occupation(Bytes size) const { return g_ + per_byte_in_ticks(size, G_); }
    // From the moment the sender's CPU hands the message over to the arrival of its first byte.
    [[nodiscard]] Time latency() const { return L_; }
    // From the arrival of the first byte to that of the last: (s-1)G.
    [[nodiscard]] Time drain(Bytes size) const { return per_byte_in_ticks(size, G_); }

    static constexpr const char* validity = "loggops: no contention inside the network";

  private:
    Time L_;
    Time g_;
    double G_; // in ticks
};

} // namespace orrery
