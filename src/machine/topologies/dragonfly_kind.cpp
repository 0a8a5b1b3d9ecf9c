#include "machine/topologies/dragonfly.h"
#include "machine/topologies/kind_parts.h"
#include "machine/topologies/kind_rows.h"

namespace orrery {

namespace {

constexpr auto dragonfly_keys = with_host_names(std::array{
    Parameter{"topology.groups", "count", "", "groups"},
    Parameter{"topology.chassis", "count", "1", "chassis in a group"},
    Parameter{"topology.routers", "count", "", "routers in a chassis"},
    Parameter{"topology.hosts_per_router", "count", "",
              "hosts on a router, with cables of their own ([link.node])"},
    Parameter{"topology.blue", "count", "1", "cables between two groups"},
    Parameter{"topology.black", "count", "1", "cables between two chassis of a group, at each place"},
    Parameter{"topology.green", "count", "1", "cables between two routers of a chassis"}, limiter_key});

std::unique_ptr<Platform> dragonfly_platform(const TopologyInput& input) {
    const MachineValues& values = input.values;
    DragonflyShape shape;
    shape.groups = values.count("topology.groups", 0);
    shape.chassis = values.count("topology.chassis", 1);
    shape.routers = values.count("topology.routers", 0);
    shape.nodes = values.count("topology.hosts_per_router", 0);
    shape.blue = values.count("topology.blue", 1);
    shape.black = values.count("topology.black", 1);
    shape.green = values.count("topology.green", 1);
    shape.node_cable = values.cable("link.node", "link");
    shape.green_cable = values.cable("link.green", "link");
    shape.black_cable = shape.chassis > 1 ? values.cable("link.black", "link") : shape.green_cable;
    shape.blue_cable = values.cable("link.blue", "link");
    shape.limiter = limiter_of(values);
    shape.loopback = values.loopback();
    shape.simgrid_cables = shape.simgrid_routes = has_simgrid_quirks(values);
    if (shape.simgrid_cables) {
        values.parse("topology.simgrid_quirks", [&](std::string_view) {
            check_dragonfly(shape);
            return 0;
        });
    }
    return regular_platform(input, dragonfly_hosts(shape), "topology.groups",
                            [&](HostNames names, std::vector<Link>& links) {
                                return make_dragonfly(shape, std::move(names), links);
                            });
}

} // namespace

const TopologyKind dragonfly_kind{
    .name = "dragonfly",
    .meaning = "groups of routers, joined all to all",
    .keys = dragonfly_keys,
    .cables =
        [](const Settings& /*hardware*/) {
            return std::vector<std::string>{"node", "green", "black", "blue"};
        },
    .make = dragonfly_platform,
};

} // namespace orrery
