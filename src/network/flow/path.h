// What a pair of hosts means to a flow: its links, latency, weight and bound, and a cache of the pairs last
// used.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "network/flow/max_min.h"
#include "network/flow/parameters.h"
#include "platform/platform.h"

#include <cstdint>
#include <vector>

namespace orrery {

struct Path {
    HostId from;
    HostId to;
    Time latency;      // L: the sum over the route
    double weight = 1; // L + S * sum of 1/bandwidth
    double bound = 0;  // bytes per second: the slowest link, or the window; infinite on an empty route
    std::vector<LinkShare>
        links; // each once: the route with coefficient 1, the way back with that of cross traffic
    std::uint32_t forward = 0; // so many of them, the first ones, carry the bytes
};

// Routes are computed, so a pair costs a few virtual calls; a direct-mapped cache of bounded size saves them to
// those who talk to the same partners again and again, which most applications do.
class PathCache {
  public:
    PathCache(const Platform& platform, const FlowParameters& parameters);

    // Valid until the next call. Throws InputError if there is no route.
    const Path& find(HostId from, HostId to);

  private:
    static constexpr unsigned slot_bits = 14; // 16,384 pairs: 3 MB with routes of four links and back
    void fill(Path& path, HostId from, HostId to);

    const Platform& platform_;
    const FlowParameters& parameters_;
    std::vector<Path> slots_;
    std::vector<LinkId> route_;
};

} // namespace orrery
