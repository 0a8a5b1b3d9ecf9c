// Dragonflies: minimal paths, and those by a third group (Kim, Dally, Scott, Abts 2008).
#include "machine/platform.h"
#include "machine/routing/regular_paths.h"
#include "machine/topologies/dragonfly.h"

#include <algorithm>

namespace orrery {

namespace {

class DragonflyPaths final : public RegularPaths {
  public:
    explicit DragonflyPaths(const Fabric& fabric)
        : RegularPaths(fabric), shape_(*fabric.platform().topology().regularity().groups), plan_(shape_) {}

    [[nodiscard]] std::uint32_t places(HostId from, HostId to) const override {
        return group_of(from) == group_of(to) ? plan_.group_routers() : shape_.groups;
    }

    // Between groups `place` is a group; within one it is a router.
    void detour(HostId from, HostId to, std::uint32_t place, std::vector<Hop>& hops) const override {
        const std::uint32_t group = group_of(from);
        if (group == group_of(to)) {
            const HostId by = host_of(group * plan_.group_routers() + place);
            hops.push_back({from_host(from), 0});
            between_routers(from, by, 0, hops);
            between_routers(by, to, 1, hops);
            hops.push_back({to_host(to), 0});
            return;
        }
        if (place == group || place == group_of(to)) return direct(from, to, hops);
        // Into the other group as far as the blue cable leads, which of several depends on the destination.
        const std::uint32_t hosts = plan_.group_routers() * shape_.nodes;
        hops.push_back({from_host(from), 0});
        between_routers(from, HostId{place * hosts + to.value % hosts}, 0, hops);
        while (!is_blue(hops.back().channel)) hops.pop_back();
        const std::uint32_t lands = fabric().channel(hops.back().channel).to.value - fabric().host_count();
        between_routers(host_of(lands), to, 1, hops);
        hops.push_back({to_host(to), 0});
    }

    [[nodiscard]] std::uint32_t direct_lanes() const override { return shape_.groups > 1 ? 2 : 1; }
    [[nodiscard]] std::uint32_t detour_lanes() const override { return shape_.groups > 2 ? 3 : 2; }
    [[nodiscard]] std::string words() const override { return "minimal"; }

  protected:
    void set_lanes(std::span<Hop> path, std::uint32_t first_lane) const override {
        std::uint32_t lane = first_lane;
        for (Hop& hop : path) {
            hop.lane = lane;
            if (is_blue(hop.channel)) ++lane;
        }
    }

  private:
    [[nodiscard]] std::uint32_t group_of(HostId host) const { return plan_.group_of(plan_.router_of(host)); }
    [[nodiscard]] bool is_blue(LinkId link) const {
        const Channel& channel = fabric().channel(link);
        const std::uint32_t hosts = fabric().host_count();
        return plan_.group_of(channel.from.value - hosts) != plan_.group_of(channel.to.value - hosts);
    }

    const DragonflyShape& shape_;
    DragonflyPlan plan_;
};

} // namespace

std::unique_ptr<RegularPaths> dragonfly_paths(const Fabric& fabric) {
    return std::make_unique<DragonflyPaths>(fabric);
}

} // namespace orrery
