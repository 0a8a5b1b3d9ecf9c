// The order among messages of one instant: by source host, then by how many that host has started before.
//
// What other hosts do, and in which order the caller hears of it, does not change it. Networks report arrivals
// of one instant in this order and compute nothing in another one, so that a run can be cut into partitions.
#pragma once

#include "engine/ids.h"

#include <cassert>
#include <cstdint>
#include <vector>

namespace orrery {

class StartOrder {
  public:
    explicit StartOrder(std::uint32_t hosts) : started_(hosts) { assert(hosts <= most_hosts); }

    // (source host, n) of the next message of this host, as one number to compare. One access to memory.
    std::uint64_t next(HostId from) {
        const std::uint64_t n = started_[from.index()]++;
        assert(n >> count_bits == 0);
        return std::uint64_t{from.value} << count_bits | n;
    }

  private:
    static constexpr unsigned count_bits = 40;
    static constexpr std::uint32_t most_hosts = std::uint32_t{1} << (64 - count_bits);

    std::vector<std::uint64_t> started_; // by host
};

} // namespace orrery
