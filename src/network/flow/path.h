// What a pair of hosts means to a flow: its links, latency, weight and bound, and a cache of the pairs last
// used.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "machine/platform.h"
#include "network/flow/max_min.h"
#include "network/flow/parameters.h"

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

struct Path {
    HostId from;
    HostId to;
    Time latency;              // L: the sum over the route
    double weight = 1;         // L + S * sum of 1/bandwidth
    double bound = 0;          // bytes per second: the slowest link, or the window; infinite on an empty route
    std::uint32_t forward = 0; // so many links, the first ones, carry the bytes
    // Each once: the route with coefficient 1, the way back with that of cross traffic. Those of most routes
    // lie here, behind the rest.
    boost::container::small_vector<LinkShare, 8> links;

    [[nodiscard]] std::span<const LinkShare> shares() const { return {links.data(), links.size()}; }
};

// Routes are computed, so a pair costs a few virtual calls; a cache of bounded size saves them to those who
// talk to the same partners again and again, which most applications do. A pair lies in one of the four slots
// that its hosts name.
class PathCache {
  public:
    using Slot = std::uint32_t;
    PathCache(const Platform& platform, const FlowParameters& parameters);

    // Where the pair is until the next call, and most probably after it. Throws InputError if there is no
    // route.
    Slot find(HostId from, HostId to);
    const Path& operator[](Slot slot) const { return slots_[slot]; }
    // Its latency, without looking at the rest.
    [[nodiscard]] Time latency(Slot slot) const { return sets_[slot / ways].latency[slot % ways]; }
    // The same pair again: it may have had to give way meanwhile.
    const Path& find(Slot before, HostId from, HostId to) {
        const Path& path = slots_[before];
        return path.from == from && path.to == to ? path : slots_[find(from, to)];
    }
    [[nodiscard]] double bandwidth(LinkId link) const { return platform_.link(link).bandwidth; }
    // It will be asked for soon.
    void prefetch(Slot slot) const {
        const auto* const lines = reinterpret_cast<const std::byte*>(&slots_[slot]);
        __builtin_prefetch(lines);
        __builtin_prefetch(lines + 64);
    }

  private:
    static constexpr unsigned set_bits = 12; // 16,384 pairs in all: 3 MB
    static constexpr Slot ways = 4;
    struct alignas(64) Set {
        std::array<std::uint64_t, ways> pair;
        std::array<Time, ways> latency;
    };
    void fill(Path& path, HostId from, HostId to);

    const Platform& platform_;
    const FlowParameters& parameters_;
    std::vector<Set> sets_;
    std::vector<Path> slots_; // those of a set one after the other
    std::vector<LinkId> route_;
    Slot victim_ = 0;
};

} // namespace orrery
