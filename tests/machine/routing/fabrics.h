// Small machines of every kind, wired, for the tests of routings.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/platform.h"
#include "machine/routing/routing.h"
#include "machine/topologies/cabinets.h"
#include "machine/topologies/cluster.h"
#include "machine/topologies/dragonfly.h"
#include "machine/topologies/fat_tree.h"
#include "machine/topologies/graph.h"
#include "machine/topologies/hypercube.h"
#include "machine/topologies/hyperx.h"
#include "machine/topologies/torus.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

struct WiredMachine {
    std::string name;
    std::shared_ptr<const Platform> platform;
    std::shared_ptr<const Fabric> fabric;
};

inline const Cable test_cable{1e9, Time::us(1), Duplex::split};

using MakeTopology = std::function<std::unique_ptr<Topology>(HostNames, std::vector<Link>&)>;

inline WiredMachine wired(std::string name, std::uint64_t hosts, const MakeTopology& make) {
    std::vector<Link> links;
    auto topology = make(HostNames("n", static_cast<std::uint32_t>(hosts), ""), links);
    auto platform =
        std::make_shared<const Platform>(std::vector<Host>(hosts, Host{1e9, 1, 0}), links, std::move(topology));
    auto fabric = std::make_shared<const Fabric>(*platform);
    return {std::move(name), std::move(platform), std::move(fabric)};
}

inline WiredMachine fat_tree_machine(const std::string& text) {
    FatTreeShape shape;
    parse_fat_tree(text, shape);
    shape.cables.assign(shape.down.size(), test_cable);
    return wired("tree " + text, fat_tree_hosts(shape), [&](HostNames names, std::vector<Link>& links) {
        return make_fat_tree(shape, std::move(names), links);
    });
}

inline WiredMachine torus_machine(std::vector<std::uint32_t> dimensions, bool wraps = true,
                                  std::uint32_t nodes = 1) {
    TorusShape shape;
    shape.cables.assign(dimensions.size(), test_cable);
    shape.dimensions = std::move(dimensions);
    shape.wraps = wraps;
    shape.nodes = nodes;
    if (nodes > 1) shape.node_cable = test_cable;
    return wired(wraps ? "torus" : "mesh", torus_hosts(shape), [&](HostNames names, std::vector<Link>& links) {
        return make_torus(shape, std::move(names), links);
    });
}

inline WiredMachine hypercube_machine(std::uint32_t dimensions) {
    HypercubeShape shape;
    shape.dimensions = dimensions;
    shape.cable = test_cable;
    return wired("hypercube", std::uint64_t{1} << dimensions, [&](HostNames names, std::vector<Link>& links) {
        return make_hypercube(shape, std::move(names), links);
    });
}

inline WiredMachine hyperx_machine(std::vector<std::uint32_t> dimensions, std::uint32_t nodes) {
    HyperXShape shape;
    shape.cables.assign(dimensions.size(), test_cable);
    shape.dimensions = std::move(dimensions);
    shape.nodes = nodes;
    shape.node_cable = test_cable;
    return wired("hyperx", hyperx_hosts(shape), [&](HostNames names, std::vector<Link>& links) {
        return make_hyperx(shape, std::move(names), links);
    });
}

inline WiredMachine dragonfly_machine(std::uint32_t groups, std::uint32_t chassis, std::uint32_t routers,
                                      std::uint32_t nodes, std::uint32_t blue) {
    DragonflyShape shape;
    shape.groups = groups;
    shape.chassis = chassis;
    shape.routers = routers;
    shape.nodes = nodes;
    shape.blue = blue;
    shape.node_cable = shape.green_cable = shape.black_cable = shape.blue_cable = test_cable;
    return wired("dragonfly", dragonfly_hosts(shape), [&](HostNames names, std::vector<Link>& links) {
        return make_dragonfly(shape, std::move(names), links);
    });
}

inline WiredMachine crossbar_machine(std::uint32_t hosts) {
    ClusterShape shape;
    shape.cable = test_cable;
    shape.crossbar = true;
    return wired("crossbar", hosts, [&](HostNames names, std::vector<Link>& links) {
        return make_cluster(shape, std::move(names), links);
    });
}

// Switches joined as said, `hosts` on each.
inline WiredMachine graph_machine(std::uint32_t switches, std::uint32_t hosts,
                                  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cables) {
    GraphShape shape;
    shape.hosts = switches * hosts;
    for (std::uint32_t i = 0; i < shape.hosts; ++i) shape.nodes.push_back({"n" + std::to_string(i)});
    for (std::uint32_t i = 0; i < switches; ++i) shape.nodes.push_back({"s" + std::to_string(i)});
    for (std::uint32_t i = 0; i < shape.hosts; ++i)
        shape.edges.push_back({"h" + std::to_string(i), i, shape.hosts + i / hosts, test_cable});
    for (const auto& [a, b] : cables) {
        shape.edges.push_back(
            {"s" + std::to_string(a) + "-s" + std::to_string(b), shape.hosts + a, shape.hosts + b, test_cable});
    }
    return wired("graph", shape.hosts,
                 [&](const HostNames&, std::vector<Link>& links) { return make_graph(shape, links); });
}

inline WiredMachine ring_machine(std::uint32_t switches) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
    for (std::uint32_t i = 0; i < switches; ++i) cables.emplace_back(i, (i + 1) % switches);
    WiredMachine machine = graph_machine(switches, 1, cables);
    machine.name = "ring";
    return machine;
}

inline std::unique_ptr<Routing> routing_of(const WiredMachine& machine,
                                           const std::vector<std::string>& assignments) {
    Settings settings;
    for (const std::string& each : assignments) settings.set_from_option(each);
    return make_routing(*machine.fabric, settings);
}

// Whether hops lead from one host to the other, each beginning where the last one ended.
inline bool is_walk(const Fabric& fabric, HostId from, HostId to, std::span<const Hop> hops,
                    std::uint32_t lanes) {
    NodeId at{from.value};
    for (const Hop& hop : hops) {
        if (!fabric.is_channel(hop.channel) || fabric.channel(hop.channel).from != at || hop.lane >= lanes)
            return false;
        at = fabric.channel(hop.channel).to;
    }
    return at == NodeId{to.value};
}

} // namespace orrery
