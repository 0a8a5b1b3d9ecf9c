#include "machine/topologies/hyperx.h"
#include "machine/topologies/kind_parts.h"
#include "machine/topologies/kind_rows.h"

namespace orrery {

namespace {

constexpr auto hyperx_keys = with_host_names(std::array{
    Parameter{"topology.dimensions", "list", "", "routers in each dimension"}, hosts_per_router_key});

std::unique_ptr<Platform> hyperx_platform(const TopologyInput& input) {
    const MachineValues& values = input.values;
    HyperXShape shape;
    shape.dimensions = values.counts("topology.dimensions");
    shape.cables = cables_by_number(values, "dimension", shape.dimensions.size());
    shape.nodes = values.count("topology.hosts_per_router", 1);
    shape.node_cable = values.cable("link.node", "link");
    shape.loopback = values.loopback();
    return regular_platform(
        input, hyperx_hosts(shape), "topology.dimensions",
        [&](HostNames names, std::vector<Link>& links) { return make_hyperx(shape, std::move(names), links); });
}

} // namespace

const TopologyKind hyperx_kind{
    .name = "hyperx",
    .meaning = "routers on a grid, joined all to all in each dimension",
    .keys = hyperx_keys,
    .cables = cables_of_dimensions,
    .make = hyperx_platform,
};

} // namespace orrery
