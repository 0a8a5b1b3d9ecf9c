// Dragonflies: groups of chassis of routers, with hosts on each router (Kim, Dally, Scott, Abts 2008; the
// levels are those of Faanes et al. 2012, Cray Cascade, with their colours).
//
// The routers of a chassis are joined all to all (green), routers of the same place in the chassis of a group
// all to all (black), and groups all to all (blue). With one chassis per group a group is all to all
// (Slingshot).
//
// Routes are minimal: within a group green, then black; between groups to a router that has a blue cable to the
// other group, over it, and on within that group. Of the parallel blue cables the one of number (destination
// mod blue).
//
// Wiring: routers are counted group by group, in a group chassis by chassis. The ports of a router: its hosts;
// `routers` - 1 green ones, by the place of the other router (its own left out); `chassis` - 1 black ones, by
// the chassis (its own left out); then its blue ones (DragonflyPlan). Several green or black cables are one of
// so many times the bandwidth. Limiters are left out, and SimGrid's routes, which are no walks, have no wiring.
#pragma once

#include "machine/topologies/regular.h"

namespace orrery {

struct DragonflyShape {
    std::uint32_t groups = 1;
    std::uint32_t chassis = 1; // per group
    std::uint32_t routers = 1; // per chassis
    std::uint32_t nodes = 1;   // hosts per router
    std::uint32_t blue = 1;    // cables between two groups, spread over the routers of a group
    std::uint32_t black = 1; // cables between two chassis at one place: one link of so many times the bandwidth
    std::uint32_t green = 1; // cables between two routers of a chassis: the same
    Cable node_cable;
    Cable green_cable;
    Cable black_cable;
    Cable blue_cable;
    std::optional<double> limiter; // bytes per second that pass each host and each router
    std::optional<Link> loopback;
    // As SimGrid places them: one blue link of `blue` times the bandwidth per pair of groups; in group g,
    // router number j leads to group j.
    bool simgrid_cables = false;
    // As SimGrid 3.32 routes: having gone to the right place it believes itself in the first chassis.
    bool simgrid_routes = false;
};

// Where things are: routers by number, and the ports of the wiring.
class DragonflyPlan {
  public:
    explicit DragonflyPlan(const DragonflyShape& shape);

    struct End {
        std::uint32_t router;
        std::uint32_t port;
    };

    [[nodiscard]] std::uint32_t group_routers() const { return group_routers_; }
    [[nodiscard]] std::uint32_t router_count() const { return groups_ * group_routers_; }
    [[nodiscard]] std::uint32_t router_of(HostId host) const { return host.value / nodes_; }
    [[nodiscard]] std::uint32_t group_of(std::uint32_t router) const { return router / group_routers_; }
    [[nodiscard]] std::uint32_t chassis_of(std::uint32_t router) const {
        return router % group_routers_ / routers_;
    }
    [[nodiscard]] std::uint32_t place_of(std::uint32_t router) const { return router % routers_; }
    [[nodiscard]] std::uint32_t router_at(std::uint32_t group, std::uint32_t chassis,
                                          std::uint32_t place) const {
        return group * group_routers_ + chassis * routers_ + place;
    }
    // Cables between two groups that are told apart.
    [[nodiscard]] std::uint32_t copies() const { return copies_; }
    [[nodiscard]] std::uint32_t host_port(HostId host) const { return host.value % nodes_; }
    [[nodiscard]] std::uint32_t green_port(std::uint32_t router, std::uint32_t place) const {
        return nodes_ + (place < place_of(router) ? place : place - 1);
    }
    [[nodiscard]] std::uint32_t black_port(std::uint32_t router, std::uint32_t chassis) const {
        return nodes_ + routers_ - 1 + (chassis < chassis_of(router) ? chassis : chassis - 1);
    }
    // The end in `group` of cable `copy` to group `other`.
    [[nodiscard]] End blue_end(std::uint32_t group, std::uint32_t other, std::uint32_t copy) const;

  private:
    std::uint32_t groups_;
    std::uint32_t chassis_;
    std::uint32_t routers_;
    std::uint32_t nodes_;
    std::uint32_t copies_;
    std::uint32_t group_routers_;
    std::uint32_t blue_ports_; // per router
    bool simgrid_cables_;
};

// Throws UsageError if the blue cables find no routers.
void check_dragonfly(const DragonflyShape& shape);
std::uint64_t dragonfly_hosts(const DragonflyShape& shape);

std::unique_ptr<Topology> make_dragonfly(const DragonflyShape& shape, HostNames names,
                                         std::vector<Link>& links);

} // namespace orrery
