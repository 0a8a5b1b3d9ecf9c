// Head-of-line blocking: how long the second segment of a buffer waits for the first although the channel
// that it needs is free.
//
// Each buffer whose first segment asks for a channel and has another one behind it is in the list of the
// channel that the second one would take. Whenever that channel's state changes, and when the first one goes,
// the network says since when that channel was free, and that time is counted.
#pragma once

#include "network/packet/elements.h"
#include "network/packet/observer.h"

#include <cstdint>
#include <vector>

namespace orrery::packet {

class Blocking {
  public:
    Blocking(std::size_t slots, std::size_t channels) : buffers_(slots), lists_(channels, none) {}

    // Where the second segment of the buffer would go; none if the buffer is in no list.
    [[nodiscard]] Slot target(Slot buffer) const { return buffers_[buffer].target; }
    [[nodiscard]] bool any(std::uint32_t channel) const { return lists_[channel] != none; }
    [[nodiscard]] Time blocked(Slot buffer) const { return buffers_[buffer].blocked; }

    void begin(Slot buffer, Slot target, std::uint32_t channel, Time now);
    void end(Slot buffer, std::uint32_t channel);
    // The channel of the second segment has been free since then (Time::max(): it is not).
    void count(Slot buffer, LinkId buffer_of, Time free_since, Time now, PacketObserver* observer);
    template <typename Visit> void for_each(std::uint32_t channel, Visit&& visit) const {
        for (Slot buffer = lists_[channel]; buffer != none; buffer = buffers_[buffer].next) visit(buffer);
    }

  private:
    struct Buffer {
        Time since;
        Time blocked; // so far
        Slot target = none;
        std::uint32_t next = none;
        std::uint32_t previous = none;
    };
    std::vector<Buffer> buffers_;      // by slot
    std::vector<std::uint32_t> lists_; // by channel
};

} // namespace orrery::packet
