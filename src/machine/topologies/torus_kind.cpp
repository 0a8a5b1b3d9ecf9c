#include "machine/topologies/kind_parts.h"
#include "machine/topologies/kind_rows.h"
#include "machine/topologies/torus.h"

namespace orrery {

namespace {

constexpr auto torus_keys =
    with_host_names(std::array{Parameter{"topology.dimensions", "list", "", "routers in each dimension"},
                               hosts_per_router_key, limiter_key});

std::unique_ptr<Platform> torus_platform(const TopologyInput& input, bool wraps) {
    const MachineValues& values = input.values;
    TorusShape shape;
    shape.wraps = wraps;
    shape.dimensions = values.counts("topology.dimensions");
    shape.cables = cables_by_number(values, "dimension", shape.dimensions.size());
    shape.limiter = limiter_of(values);
    shape.loopback = values.loopback();
    shape.simgrid = has_simgrid_quirks(values);
    shape.nodes = values.count("topology.hosts_per_router", 1);
    shape.node_cable = node_cable_of(values, shape.nodes);
    return regular_platform(
        input, torus_hosts(shape), "topology.dimensions",
        [&](HostNames names, std::vector<Link>& links) { return make_torus(shape, std::move(names), links); });
}

} // namespace

const TopologyKind torus_kind{
    .name = "torus",
    .meaning = "routers on a grid of any number of dimensions, each a ring",
    .keys = torus_keys,
    .cables = cables_of_dimensions,
    .make = [](const TopologyInput& input) { return torus_platform(input, true); },
};

const TopologyKind mesh_kind{
    .name = "mesh",
    .meaning = "a torus without the cables from the last router to the first",
    .keys = torus_keys,
    .cables = cables_of_dimensions,
    .make = [](const TopologyInput& input) { return torus_platform(input, false); },
};

} // namespace orrery
