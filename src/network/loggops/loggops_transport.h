// The LogGOPS network behind the Network interface, for bytes that no rank sends or receives: one-sided
// communication. Messages of ranks take its latency only; their CPUs and interfaces are protocol/processors.h.
//
// A message of s bytes occupies the sending interface for g + (s-1)G from the moment it is free; its first byte
// arrives L after it began to leave; from then on, or from when it is free, the receiving interface is occupied
// for as long, and the message has arrived with its last byte, (s-1)G later. Interfaces serve messages in the
// order in which they come, sending and receiving apart. Sees and cannot see:
// network/loggops/loggops_network.h.
#pragma once

#include "engine/event_queue.h"
#include "network/loggops/loggops_network.h"
#include "network/network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

class LogGOPSTransport final : public Network {
  public:
    LogGOPSTransport(std::uint32_t hosts, const LogGOPS& parameters) : network_(parameters), nics_(hosts) {}

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    Time next() override { return events_.empty() ? Time::max() : events_.next_time(); }
    void advance(Time now, std::vector<TransferId>& arrived) override;
    Time latency(HostId /*from*/, HostId /*to*/) override { return network_.latency(); }
    Uncontended uncontended(HostId /*from*/, HostId /*to*/, Bytes bytes) override {
        return {network_.latency(), network_.drain(bytes), Uncontended::no_link, 0, Time::zero()};
    }
    [[nodiscard]] std::string validity() const override { return LogGOPSNetwork::validity; }

  private:
    enum Step : std::uint32_t { first_byte, last_byte };
    struct Nic {
        Time send_free;
        Time receive_free;
    };
    struct Transfer {
        HostId to;
        Bytes bytes = 0;
    };

    LogGOPSNetwork network_;
    std::vector<Nic> nics_;           // by host
    std::vector<Transfer> transfers_; // by id
    EventQueue events_;               // Event::rank is the transfer, Event::ref the step
    std::uint64_t order_ = 0;
};

} // namespace orrery
