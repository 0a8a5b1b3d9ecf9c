#include "formats/simgrid/clusters.h"

#include "machine/topologies/dragonfly.h"
#include "machine/topologies/fat_tree.h"
#include "machine/topologies/lists.h"
#include "machine/topologies/torus.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace orrery::simgrid {

namespace {

// What all topologies have.
struct Common {
    HostNames names;
    Cable cable;
    std::optional<double> limiter;
    std::optional<Link> loopback;
};

Common read_common(const Element& element, bool quirks) {
    // SimGrid 3.32 makes the links of a FATPIPE cluster shared ones.
    const std::array duplexes{Duplex::shared, Duplex::split, Duplex::split,
                              quirks ? Duplex::shared : Duplex::fat_pipe};
    Common common{
        read_names(element),
        {element.bandwidth("bw"), element.time("lat"),
         duplexes[element.choice("sharing_policy", {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"}, 1)]},
        std::nullopt,
        std::nullopt};
    if (element.has("limiter_link")) common.limiter = element.bandwidth("limiter_link");
    if (element.has("loopback_bw")) {
        common.loopback =
            Link{element.bandwidth("loopback_bw"),
                 element.has("loopback_lat") ? element.time("loopback_lat") : Time::zero(), Sharing::fat_pipe};
    } else if (element.has("loopback_lat") && element.time("loopback_lat") > Time::zero()) {
        element.fail("loopback_lat is given, but not loopback_bw");
    }
    return common;
}

void check_hosts(const Element& element, std::uint64_t needed, std::uint32_t given) {
    if (needed == given) return;
    element.fail(fmt::format("topo_parameters make {} hosts, but radical names {}", needed, given));
}

void make_flat(const Element& element, Common common, BuiltCluster& built) {
    ClusterShape shape{common.cable, common.limiter, std::nullopt, common.loopback};
    if (element.has("bb_bw")) {
        shape.backbone =
            Cable{element.bandwidth("bb_bw"), element.has("bb_lat") ? element.time("bb_lat") : Time::zero(),
                  element.choice("bb_sharing_policy", {"SHARED", "FATPIPE"}, 0) == 0 ? Duplex::shared
                                                                                     : Duplex::fat_pipe};
    } else if (element.has("bb_lat") && element.time("bb_lat") > Time::zero()) {
        element.fail("bb_lat is given, but not bb_bw");
    }
    auto cluster = make_cluster(shape, std::move(common.names), built.links);
    built.flat = cluster.get();
    built.topology = std::move(cluster);
    built.router = element.text("router_id", fmt::format("{}{}_router{}", element.text("prefix"),
                                                         element.text("id"), element.text("suffix")));
}

void make_fat(const Element& element, Common common, bool quirks, std::uint32_t& position,
              BuiltCluster& built) {
    FatTreeShape shape;
    element.parse("topo_parameters", [&](const std::string& text) {
        parse_fat_tree(text, shape);
        return 0;
    });
    check_hosts(element, fat_tree_hosts(shape), common.names.count());
    shape.cables.assign(shape.down.size(), common.cable);
    shape.limiter = common.limiter;
    shape.loopback = common.loopback;
    shape.first_position = position;
    shape.simgrid = quirks;
    position += common.names.count();
    built.topology = make_fat_tree(shape, std::move(common.names), built.links);
}

void make_ring(const Element& element, Common common, bool quirks, BuiltCluster& built) {
    TorusShape shape;
    shape.dimensions =
        element.parse("topo_parameters", [](const std::string& text) { return parse_counts(text); });
    check_hosts(element, bounded_product(shape.dimensions), common.names.count());
    shape.cables.assign(shape.dimensions.size(), common.cable);
    shape.limiter = common.limiter;
    shape.loopback = common.loopback;
    shape.simgrid = quirks;
    built.topology = make_torus(shape, std::move(common.names), built.links);
}

// "groups,blue; chassis,black; routers,green; nodes"
DragonflyShape parse_dragonfly(const std::string& text) {
    const auto parts = split_at(text, ';');
    std::vector<std::vector<std::uint32_t>> counts;
    for (const std::string_view part : parts) counts.push_back(parse_counts(part));
    if (counts.size() != 4 || counts[0].size() != 2 || counts[1].size() != 2 || counts[2].size() != 2 ||
        counts[3].size() != 1) {
        throw UsageError(
            fmt::format("'{}' is not a dragonfly 'groups,links; chassis,links; routers,links; hosts'", text));
    }
    DragonflyShape shape;
    shape.groups = counts[0][0];
    shape.blue = counts[0][1];
    shape.chassis = counts[1][0];
    shape.black = counts[1][1];
    shape.routers = counts[2][0];
    shape.green = counts[2][1];
    shape.nodes = counts[3][0];
    return shape;
}

void make_fly(const Element& element, Common common, bool quirks, BuiltCluster& built) {
    const DragonflyShape shape = element.parse("topo_parameters", [&](const std::string& text) {
        DragonflyShape read = parse_dragonfly(text);
        read.node_cable = read.green_cable = read.black_cable = read.blue_cable = common.cable;
        read.limiter = common.limiter;
        read.loopback = common.loopback;
        read.simgrid_cables = true;
        read.simgrid_routes = quirks;
        check_dragonfly(read);
        return read;
    });
    check_hosts(element, dragonfly_hosts(shape), common.names.count());
    built.topology = make_dragonfly(shape, std::move(common.names), built.links);
}

} // namespace

HostNames read_names(const Element& element) {
    return element.parse("radical", [&](const std::string& radical) {
        return HostNames(element.text("prefix"), radical, element.text("suffix"));
    });
}

BuiltCluster build_cluster(const Element& element, bool quirks, std::uint32_t& position) {
    element.allow({"id", "prefix", "suffix", "radical", "speed", "core", "bw", "lat", "sharing_policy",
                   "topology", "topo_parameters", "bb_bw", "bb_lat", "bb_sharing_policy", "router_id",
                   "limiter_link", "loopback_bw", "loopback_lat"});
    Common common = read_common(element, quirks);
    BuiltCluster built;
    built.hosts = common.names.count();
    built.host.speed = element.speed("speed", 0);
    built.host.cores = element.count("core", 1);
    if (built.host.cores == 0) element.fail("core: a host has at least one core");
    switch (element.choice("topology", {"FLAT", "FAT_TREE", "TORUS", "DRAGONFLY"}, 0)) {
    case 0: make_flat(element, std::move(common), built); break;
    case 1: make_fat(element, std::move(common), quirks, position, built); break;
    case 2: make_ring(element, std::move(common), quirks, built); break;
    default: make_fly(element, std::move(common), quirks, built); break;
    }
    return built;
}

} // namespace orrery::simgrid
