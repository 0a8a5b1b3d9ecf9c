// How many flows fight for a channel through no fault of their own ends.
//
// Flows of one sender share its adapter and flows to one receiver share its adapter, whatever the network does;
// so the contention of a channel is the smaller of the numbers of different senders and of different receivers
// of the flows on it (after Rodriguez et al. 2009). 1: nobody waits in the network who need not wait at its
// ends.
#pragma once

#include "engine/ids.h"
#include "engine/random.h"

#include <algorithm>
#include <cstdint>
#include <tsl/robin_map.h>
#include <vector>

namespace orrery {

// Flows come and go; a slot is a channel in a phase.
class Contention {
  public:
    explicit Contention(std::size_t slots) : slots_(slots) {}

    void add(std::uint32_t slot, HostId from, HostId to) { change(slot, from, to, 1); }
    void remove(std::uint32_t slot, HostId from, HostId to) { change(slot, from, to, -1); }
    [[nodiscard]] std::uint32_t level(std::uint32_t slot) const {
        return std::min(slots_[slot].senders, slots_[slot].receivers);
    }
    [[nodiscard]] std::uint32_t flows(std::uint32_t slot) const { return slots_[slot].flows; }
    // By how much cost() would grow.
    [[nodiscard]] std::uint64_t cost_of_adding(std::uint32_t slot, HostId from, HostId to) const {
        Slot after = slots_[slot];
        ++after.flows;
        if (!ends_.contains(key(slot, 0, from))) ++after.senders;
        if (!ends_.contains(key(slot, 1, to))) ++after.receivers;
        return cost(after) - cost(slots_[slot]);
    }
    // The sum of the squares of the contention; where that is equal, of the flows.
    [[nodiscard]] std::uint64_t cost() const { return cost_; }
    [[nodiscard]] std::uint32_t most() const {
        std::uint32_t most = 0;
        for (const Slot& each : slots_) most = std::max(most, std::min(each.senders, each.receivers));
        return most;
    }

  private:
    struct Slot {
        std::uint32_t senders = 0; // different ones
        std::uint32_t receivers = 0;
        std::uint32_t flows = 0;
    };
    struct Mixed {
        std::size_t operator()(std::uint64_t key) const { return mix_bits(key); }
    };

    static std::uint64_t key(std::uint32_t slot, std::uint32_t side, HostId host) {
        return (std::uint64_t{slot} << 32U | host.value) * 2 + side; // hosts are fewer than 2^31
    }
    static std::uint64_t cost(const Slot& slot) {
        const std::uint64_t level = std::min(slot.senders, slot.receivers);
        return (level * level << 16U) + std::min<std::uint64_t>(std::uint64_t{slot.flows} * slot.flows, 65535);
    }
    void change(std::uint32_t slot, HostId from, HostId to, int by) {
        Slot& here = slots_[slot];
        cost_ -= cost(here);
        here.flows += static_cast<std::uint32_t>(by);
        count(key(slot, 0, from), by, here.senders);
        count(key(slot, 1, to), by, here.receivers);
        cost_ += cost(here);
    }
    void count(std::uint64_t key, int by, std::uint32_t& different) {
        std::uint32_t& flows = ends_[key];
        if (flows == 0) ++different;
        flows += static_cast<std::uint32_t>(by);
        if (flows != 0) return;
        --different;
        ends_.erase(key);
    }

    std::vector<Slot> slots_;
    std::uint64_t cost_ = 0;
    tsl::robin_map<std::uint64_t, std::uint32_t, Mixed> ends_; // looked up only: its order has no effect
};

} // namespace orrery
