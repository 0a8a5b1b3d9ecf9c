// Paths through regular networks whose rings or groups need virtual channels: direct ones, and detours through
// a random place (Valiant 1982).
//
// Direct paths are those of the platform. What is added is the lane of each hop, chosen so that no cycle of
// channels waits for itself (Dally and Seitz 1987):
// - torus: dimension by dimension, and within a ring lane 0 until the cable between the last and the first
//   router (the dateline), lane 1 from there on. A detour is two such paths, the second on lanes 2 and 3.
// - mesh, hypercube, HyperX: dimensions in order need one lane; a detour one for each of its two paths.
// - dragonfly: as many as blue cables were passed, so l0 b0 l1 and, through a third group, l0 b0 l1 b1 l2.
//   Within a group a detour leads by another router of it, its second half on lane 1.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/routing/routing.h"

#include <memory>
#include <vector>

namespace orrery {

class RegularPaths {
  public:
    explicit RegularPaths(const Fabric& fabric);
    virtual ~RegularPaths() = default;

    void direct(HostId from, HostId to, std::vector<Hop>& hops) const;
    // The places through which a detour may lead; some of them may lie on the direct path.
    [[nodiscard]] virtual std::uint32_t places(HostId from, HostId to) const = 0;
    virtual void detour(HostId from, HostId to, std::uint32_t place, std::vector<Hop>& hops) const = 0;

    [[nodiscard]] virtual std::uint32_t direct_lanes() const = 0;
    [[nodiscard]] virtual std::uint32_t detour_lanes() const = 0;
    [[nodiscard]] virtual std::string words() const = 0; // of direct paths: "dimension order"

  protected:
    // Sets the lanes of a direct path between routers.
    virtual void set_lanes(std::span<Hop> path, std::uint32_t first_lane) const = 0;
    // Appends the direct path without the hops from and to the hosts, with its lanes. This one asks the
    // platform, which takes a while.
    virtual void between_routers(HostId from, HostId to, std::uint32_t first_lane,
                                 std::vector<Hop>& hops) const;
    [[nodiscard]] const Fabric& fabric() const { return fabric_; }
    [[nodiscard]] std::uint32_t router_count() const { return static_cast<std::uint32_t>(host_.size()); }
    // A host of this router.
    [[nodiscard]] HostId host_of(std::uint32_t router) const { return host_[router]; }
    [[nodiscard]] LinkId from_host(HostId host) const { return host_channels_[host.index()].from_host; }
    [[nodiscard]] LinkId to_host(HostId host) const { return host_channels_[host.index()].to_host; }
    [[nodiscard]] std::uint32_t router_of(HostId host) const { return host_channels_[host.index()].router; }

  private:
    struct HostChannels { // between a host and its router
        LinkId from_host;
        LinkId to_host;
        std::uint32_t router = 0;
    };

    const Fabric& fabric_;
    std::vector<HostId> host_;
    std::vector<HostChannels> host_channels_; // by host
};

// Null if the topology is none of these.
std::unique_ptr<RegularPaths> regular_paths(const Fabric& fabric);
std::unique_ptr<RegularPaths> dimension_order_paths(const Fabric& fabric); // torus, mesh, hypercube, HyperX
std::unique_ptr<RegularPaths> dragonfly_paths(const Fabric& fabric);

} // namespace orrery
