// Whether packets can wait for each other: a cycle in the graph of channel dependencies (Dally and
// Seitz 1987).
//
// A vertex is a channel with a lane; an edge leads from each hop of a path to the next. Without a cycle there
// is no deadlock, whatever the traffic and the buffers. Adaptive and random routings are checked with all their
// paths. A cycle does not prove that a run will deadlock: it names where one could.
#pragma once

#include "machine/routing/routing.h"

#include <string>
#include <vector>

namespace orrery {

class DependencyGraph final : public PathSink {
  public:
    DependencyGraph(std::uint32_t channels, std::uint32_t lanes)
        : lanes_(lanes), next_(std::size_t{channels} * lanes) {}

    void path(std::span<const Hop> hops) override;
    [[nodiscard]] std::uint64_t dependencies() const { return count_; }
    // A short cycle, or nothing if there is none.
    [[nodiscard]] std::vector<Hop> cycle() const;

  private:
    [[nodiscard]] std::uint32_t vertex(Hop hop) const { return hop.channel.value * lanes_ + hop.lane; }
    [[nodiscard]] std::vector<std::uint32_t> shortest_cycle(std::uint32_t start) const;

    std::uint32_t lanes_;
    std::uint64_t count_ = 0;
    std::vector<std::vector<std::uint32_t>> next_; // without repetition
};

struct DeadlockCheck {
    std::uint64_t paths = 0; // that were checked
    bool all = false;        // these are all there are
    std::uint64_t dependencies = 0;
    std::vector<Hop> cycle; // empty: none
    std::uint32_t fewest_hops = 0;
    std::uint32_t most_hops = 0;
    double mean_hops = 0;
};

// Looks at all paths, or about `most_paths` of them, the pairs of hosts spread evenly. Throws InputError if one
// of them does not lead from host to host, each channel beginning where the last one ended.
DeadlockCheck check_deadlock(const Fabric& fabric, const Routing& routing,
                             std::uint64_t most_paths = 4'000'000);

// "n0 to n1 -> n1 to n2 -> ... -> n0 to n1", lanes where there are several.
std::string cycle_words(const Fabric& fabric, std::span<const Hop> cycle, std::uint32_t lanes);

} // namespace orrery
