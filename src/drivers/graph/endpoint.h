// The endpoint of the LogGOPS model: what a message costs the CPUs at its two ends, and the protocol.
//
// Sees: a constant cost per message (o), a cost per byte (O), the switch from eager to rendezvous (S).
// Does not see: different costs for sending and receiving, costs that are not linear in the size, limits on
// buffers for unexpected messages.
// Parameters: o, O, S of network/loggops/parameters.h. Source: Hoefer, Schneider, Lumsdaine, "LogGOPSim", 1.3.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "network/loggops/parameters.h"

namespace orrery {

class LogGOPSEndpoint {
  public:
    explicit LogGOPSEndpoint(const LogGOPS& parameters)
        : o_(parameters.o), O_(parameters.O * Time::ticks_per_ps()), S_(parameters.S),
          rendezvous_(parameters.rendezvous) {}

    [[nodiscard]] Time per_message() const { return o_; }
    // o + (s-1)O
    [[nodiscard]] Time send_overhead(Bytes size) const { return o_ + per_byte_in_ticks(size, O_); }
    // o + max((s-1)O, drain): the CPU is held until the last byte has come in.
    [[nodiscard]] Time recv_overhead(Bytes size, Time drain) const {
        return o_ + later(per_byte_in_ticks(size, O_), drain);
    }
    [[nodiscard]] bool eager(Bytes size) const { return size <= S_; }
    [[nodiscard]] bool handshake() const { return rendezvous_ == Rendezvous::handshake; }

  private:
    Time o_;
    double O_; // in ticks
    Bytes S_;
    Rendezvous rendezvous_;
};

} // namespace orrery
