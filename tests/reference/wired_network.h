// Any wiring of hosts and switches with any paths over it, for tests of networks that see switches.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/platform.h"
#include "machine/routing/routing.h"

#include <memory>
#include <string>
#include <vector>

namespace orrery::reference {

struct WiredCable {
    std::uint32_t a = 0; // nodes: the hosts first
    std::uint32_t b = 0;
    double bandwidth = 0; // bytes per second
    Time latency;
};

struct WiredPlan {
    std::uint32_t hosts = 0;
    std::uint32_t switches = 0;
    std::vector<WiredCable> cables;            // cable i is the links 2i (a to b) and 2i + 1
    std::vector<std::uint32_t> router_of_host; // the node of each host's router, or empty
};

std::unique_ptr<Platform> make_platform(const WiredPlan& plan);

// A path for each pair of hosts, as given.
class TableRouting final : public Routing {
  public:
    TableRouting(std::uint32_t hosts, std::uint32_t lanes)
        : hosts_(hosts), lanes_(lanes), paths_(std::size_t{hosts} * hosts) {}
    std::vector<Hop>& path(HostId from, HostId to) { return paths_[from.index() * hosts_ + to.index()]; }

    [[nodiscard]] std::uint32_t lanes() const override { return lanes_; }
    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
              std::vector<Hop>& hops) const override;
    [[nodiscard]] std::string words() const override { return "table"; }

  private:
    std::uint32_t hosts_;
    std::uint32_t lanes_;
    std::vector<std::vector<Hop>> paths_;
};

// Shortest paths, of equal ones that on which least waits, then one by the draw. Decides as it is told.
class LeastLoadedRouting final : public Routing {
  public:
    LeastLoadedRouting(const Fabric& fabric, Decides decides, std::uint32_t lanes);

    [[nodiscard]] Decides decides() const override { return decides_; }
    [[nodiscard]] std::uint32_t lanes() const override { return lanes_; }
    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
              std::vector<Hop>& hops) const override;
    [[nodiscard]] Hop next(NodeId at, Hop came, HostId from, HostId to, std::uint64_t draw,
                           const LoadView& load) const override;
    [[nodiscard]] std::string words() const override { return "least loaded"; }

  private:
    const Fabric& fabric_;
    Decides decides_;
    std::uint32_t lanes_;
    std::vector<std::vector<std::uint32_t>> distances_; // to each host
};

// Shortest paths through switches, of equal ones one by chance; on each the lane rises by chance from hop to
// hop.
TableRouting random_shortest_paths(const Fabric& fabric, std::uint32_t lanes, std::uint64_t seed);

} // namespace orrery::reference
