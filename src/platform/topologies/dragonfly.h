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
#pragma once

#include "platform/topologies/regular.h"

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

// Throws UsageError if the blue cables find no routers.
void check_dragonfly(const DragonflyShape& shape);
std::uint64_t dragonfly_hosts(const DragonflyShape& shape);

std::unique_ptr<Topology> make_dragonfly(const DragonflyShape& shape, HostNames names,
                                         std::vector<Link>& links);

} // namespace orrery
