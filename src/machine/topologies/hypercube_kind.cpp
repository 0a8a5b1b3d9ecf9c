#include "machine/topologies/hypercube.h"
#include "machine/topologies/kind_parts.h"
#include "machine/topologies/kind_rows.h"

namespace orrery {

namespace {

constexpr auto hypercube_keys = with_host_names(
    std::array{Parameter{"topology.dimensions", "count", "", "number of dimensions"}, hosts_per_router_key});

std::unique_ptr<Platform> hypercube_platform(const TopologyInput& input) {
    constexpr std::uint32_t most = 24;
    const MachineValues& values = input.values;
    HypercubeShape shape;
    shape.dimensions = values.count("topology.dimensions", 0);
    if (shape.dimensions > most) values.fail("topology.dimensions", fmt::format("{} are the most", most));
    shape.cable = values.cable("link");
    shape.loopback = values.loopback();
    shape.nodes = values.count("topology.hosts_per_router", 1);
    shape.node_cable = node_cable_of(values, shape.nodes);
    return regular_platform(input, (std::uint64_t{1} << shape.dimensions) * shape.nodes, "topology.dimensions",
                            [&](HostNames names, std::vector<Link>& links) {
                                return make_hypercube(shape, std::move(names), links);
                            });
}

} // namespace

const TopologyKind hypercube_kind{
    .name = "hypercube",
    .meaning = "2^d routers, each joined to those whose number differs in one binary digit",
    .keys = hypercube_keys,
    .cables = [](const Settings& /*hardware*/) { return std::vector<std::string>{"node"}; },
    .make = hypercube_platform,
};

} // namespace orrery
