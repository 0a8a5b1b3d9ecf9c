#include "machine/machine_builder.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/graph_builder.h"
#include "machine/machine_keys.h"
#include "machine/machine_limits.h"
#include "machine/machine_values.h"
#include "machine/net.h"
#include "machine/topologies/cabinets.h"
#include "machine/topologies/cluster.h"
#include "machine/topologies/dragonfly.h"
#include "machine/topologies/fat_tree.h"
#include "machine/topologies/hypercube.h"
#include "machine/topologies/hyperx.h"
#include "machine/topologies/lists.h"
#include "machine/topologies/torus.h"

#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint32_t most_levels = 64; // of a tree, or dimensions that have cables of their own kind

// What a regular topology is put together from.
struct Parts {
    std::vector<Link> links;
    std::unique_ptr<Topology> topology;
    std::uint32_t hosts = 0;
};

class Builder {
  public:
    Builder(const Settings& hardware, const std::string& file) : values_(hardware, file) {}

    Parts build(TopologyKind kind) {
        switch (kind) {
        case TopologyKind::crossbar:
        case TopologyKind::cluster: return cluster(kind == TopologyKind::crossbar);
        case TopologyKind::cabinets: return cabinets();
        case TopologyKind::fat_tree: return fat_tree();
        case TopologyKind::k_ary_n_tree: return k_ary_n_tree();
        case TopologyKind::torus: return torus(true);
        case TopologyKind::mesh: return torus(false);
        case TopologyKind::hypercube: return hypercube();
        case TopologyKind::hyperx: return hyperx();
        case TopologyKind::dragonfly: return dragonfly();
        case TopologyKind::graph: break;
        }
        return {};
    }

    [[nodiscard]] const MachineValues& values() const { return values_; }

  private:
    // Names for `count` hosts, which `key` implies.
    HostNames names(std::uint64_t count, const std::string& key) const {
        if (count > machine_limits().hosts) {
            values_.fail(key, fmt::format("makes more than {} hosts", machine_limits().hosts));
        }
        const Settings& settings = values_.settings();
        std::string prefix = settings.word("host.prefix", "n");
        std::string suffix = settings.word("host.suffix", "");
        if (!values_.has("host.numbers")) return {std::move(prefix), static_cast<std::uint32_t>(count), suffix};
        HostNames named = values_.parse("host.numbers", [&](std::string_view numbers) {
            return HostNames(std::move(prefix), numbers, std::move(suffix));
        });
        if (named.count() != count) {
            values_.fail("host.numbers",
                         fmt::format("names {} hosts, but {} makes {}", named.count(), key, count));
        }
        return named;
    }

    std::optional<double> limiter() const {
        const auto cable = values_.optional_cable("limiter");
        if (!cable) return std::nullopt;
        return cable->bandwidth;
    }

    bool quirks() const { return values_.settings().flag("topology.simgrid_quirks", false); }

    Parts cluster(bool crossbar) const {
        const ClusterShape shape{values_.cable("link"), limiter(), values_.optional_cable("backbone"),
                                 values_.loopback(), crossbar};
        Parts parts;
        parts.hosts = values_.count("topology.hosts", 0);
        parts.topology = make_cluster(shape, names(parts.hosts, "topology.hosts"), parts.links);
        return parts;
    }

    Parts cabinets() const {
        CabinetsShape shape;
        shape.sizes = values_.counts("topology.cabinets");
        if (values_.has("topology.hosts_per_cabinet")) {
            if (shape.sizes.size() != 1) {
                values_.fail("topology.hosts_per_cabinet",
                             "topology.cabinets already says it for each cabinet");
            }
            shape.sizes.assign(shape.sizes[0], values_.count("topology.hosts_per_cabinet", 0));
        }
        shape.cable = values_.cable("link");
        shape.uplink = values_.cable("uplink", "link");
        shape.core = values_.optional_cable("core");
        shape.loopback = values_.loopback();
        const std::uint64_t hosts = std::accumulate(shape.sizes.begin(), shape.sizes.end(), std::uint64_t{0});
        HostNames named = names(hosts, "topology.cabinets");
        Parts parts;
        parts.hosts = static_cast<std::uint32_t>(hosts);
        parts.topology = make_cabinets(shape, std::move(named), parts.links);
        return parts;
    }

    // [link] with the changes of [link.level1], [link.level2], ...
    std::vector<Cable> cables(std::string_view kind, std::size_t count) const {
        std::vector<Cable> out;
        for (std::size_t i = 1; i <= count; ++i)
            out.push_back(values_.cable(fmt::format("link.{}{}", kind, i), "link"));
        return out;
    }

    Parts fat_tree() const {
        values_.require("topology.levels", "'2; 20,320; 1,8; 1,2'");
        FatTreeShape shape;
        values_.parse("topology.levels", [&](std::string_view text) {
            parse_fat_tree(text, shape);
            return 0;
        });
        return fat_tree(std::move(shape), "topology.levels");
    }

    // XGFT(n; k,..,k; 1,k,..,k)
    Parts k_ary_n_tree() const {
        const std::uint32_t k = values_.count("topology.k", 0);
        const std::uint32_t n = values_.count("topology.n", 0);
        if (n > most_levels) values_.fail("topology.n", fmt::format("{} are the most", most_levels));
        FatTreeShape shape;
        shape.down.assign(n, k);
        shape.up.assign(n, k);
        shape.up[0] = 1;
        shape.parallel.assign(n, 1);
        return fat_tree(std::move(shape), "topology.k");
    }

    Parts fat_tree(FatTreeShape shape, const std::string& key) const {
        shape.cables = cables("level", shape.down.size());
        shape.limiter = limiter();
        shape.loopback = values_.loopback();
        shape.simgrid = quirks();
        HostNames named = names(fat_tree_hosts(shape), key);
        Parts parts;
        parts.hosts = named.count();
        parts.topology = make_fat_tree(shape, std::move(named), parts.links);
        return parts;
    }

    // Hosts sit on their router, unless there are several or the file says what their cables are like.
    std::optional<Cable> node_cable(std::uint32_t hosts_per_router) const {
        const bool given = values_.has("link.node.bandwidth") || values_.has("link.node.latency") ||
                           values_.has("link.node.sharing");
        if (hosts_per_router == 1 && !given) return std::nullopt;
        return values_.cable("link.node", "link");
    }

    Parts torus(bool wraps) const {
        TorusShape shape;
        shape.wraps = wraps;
        shape.dimensions = values_.counts("topology.dimensions");
        shape.cables = cables("dimension", shape.dimensions.size());
        shape.limiter = limiter();
        shape.loopback = values_.loopback();
        shape.simgrid = quirks();
        shape.nodes = values_.count("topology.hosts_per_router", 1);
        shape.node_cable = node_cable(shape.nodes);
        HostNames named = names(torus_hosts(shape), "topology.dimensions");
        Parts parts;
        parts.hosts = named.count();
        parts.topology = make_torus(shape, std::move(named), parts.links);
        return parts;
    }

    Parts hypercube() const {
        constexpr std::uint32_t most = 24;
        HypercubeShape shape;
        shape.dimensions = values_.count("topology.dimensions", 0);
        if (shape.dimensions > most) values_.fail("topology.dimensions", fmt::format("{} are the most", most));
        shape.cable = values_.cable("link");
        shape.loopback = values_.loopback();
        shape.nodes = values_.count("topology.hosts_per_router", 1);
        shape.node_cable = node_cable(shape.nodes);
        HostNames named = names((std::uint64_t{1} << shape.dimensions) * shape.nodes, "topology.dimensions");
        Parts parts;
        parts.hosts = named.count();
        parts.topology = make_hypercube(shape, std::move(named), parts.links);
        return parts;
    }

    Parts hyperx() const {
        HyperXShape shape;
        shape.dimensions = values_.counts("topology.dimensions");
        shape.cables = cables("dimension", shape.dimensions.size());
        shape.nodes = values_.count("topology.hosts_per_router", 1);
        shape.node_cable = values_.cable("link.node", "link");
        shape.loopback = values_.loopback();
        HostNames named = names(hyperx_hosts(shape), "topology.dimensions");
        Parts parts;
        parts.hosts = named.count();
        parts.topology = make_hyperx(shape, std::move(named), parts.links);
        return parts;
    }

    Parts dragonfly() const {
        DragonflyShape shape;
        shape.groups = values_.count("topology.groups", 0);
        shape.chassis = values_.count("topology.chassis", 1);
        shape.routers = values_.count("topology.routers", 0);
        shape.nodes = values_.count("topology.hosts_per_router", 0);
        shape.blue = values_.count("topology.blue", 1);
        shape.black = values_.count("topology.black", 1);
        shape.green = values_.count("topology.green", 1);
        shape.node_cable = values_.cable("link.node", "link");
        shape.green_cable = values_.cable("link.green", "link");
        shape.black_cable = shape.chassis > 1 ? values_.cable("link.black", "link") : shape.green_cable;
        shape.blue_cable = values_.cable("link.blue", "link");
        shape.limiter = limiter();
        shape.loopback = values_.loopback();
        shape.simgrid_cables = shape.simgrid_routes = quirks();
        if (quirks()) {
            values_.parse("topology.simgrid_quirks", [&](std::string_view) {
                check_dragonfly(shape);
                return 0;
            });
        }
        HostNames named = names(dragonfly_hosts(shape), "topology.groups");
        Parts parts;
        parts.hosts = named.count();
        parts.topology = make_dragonfly(shape, std::move(named), parts.links);
        return parts;
    }

    MachineValues values_;
};

// How many levels or dimensions the keys speak of; 0 if they make no sense, of which the builder complains.
std::size_t count_of_kinds(const Settings& hardware, TopologyKind kind) {
    try {
        if (kind == TopologyKind::fat_tree) {
            FatTreeShape shape;
            parse_fat_tree(hardware.word("topology.levels", ""), shape);
            return shape.down.size();
        }
        const bool tree = kind == TopologyKind::k_ary_n_tree;
        const auto counts = parse_counts(hardware.word(tree ? "topology.n" : "topology.dimensions", ""));
        return tree ? counts[0] : counts.size();
    } catch (const UsageError&) {
        return 0;
    }
}

std::vector<std::string> kinds_of_cable(const Settings& hardware, TopologyKind kind) {
    std::string_view word = "dimension";
    std::vector<std::string> out;
    switch (kind) {
    case TopologyKind::dragonfly: return {"node", "green", "black", "blue"};
    case TopologyKind::hypercube: return {"node"};
    case TopologyKind::fat_tree:
    case TopologyKind::k_ary_n_tree: word = "level"; break;
    case TopologyKind::torus:
    case TopologyKind::mesh:
    case TopologyKind::hyperx: out.emplace_back("node"); break;
    default: return out;
    }
    const std::size_t count = std::min<std::size_t>(count_of_kinds(hardware, kind), most_levels);
    for (std::size_t i = 1; i <= count; ++i) out.push_back(fmt::format("{}{}", word, i));
    return out;
}

std::vector<SpeedByBurst> read_bursts(std::string_view text) {
    std::vector<SpeedByBurst> out;
    for (const std::string_view piece : split_at(text, ';')) {
        const auto parts = split_at(piece, ':');
        if (parts.size() != 2) {
            throw UsageError(fmt::format("'{}' is not of the form SIZE: SPEED, such as 1e6: 3 Gflop/s", piece));
        }
        Settings size; // for its reader of numbers
        size.set("size", std::string(parts[0]), "");
        SpeedByBurst burst;
        try {
            burst = {size.number("size", 0), parse_rate(parts[1])};
        } catch (const InputError& error) {
            throw UsageError(error.what());
        }
        if (burst.speed <= 0) throw UsageError("a speed must be more than zero");
        if (burst.from < 0 || (!out.empty() && burst.from <= out.back().from)) {
            throw UsageError(fmt::format("'{}': sizes must ascend from 0", piece));
        }
        out.push_back(burst);
    }
    return out;
}

} // namespace

std::unique_ptr<Platform> build_platform(const Settings& hardware, const std::vector<MachinePart>& parts,
                                         const std::string& file, const Net* net) {
    MachineValues(hardware, file).require("topology.type", "crossbar");
    const TopologyKind kind = topology_kind(hardware);
    check_hardware_keys(hardware, kind, kinds_of_cable(hardware, kind));
    Builder builder(hardware, file);
    const MachineValues& values = builder.values();
    if (const std::string counted = hardware.word("host.counts", "instructions");
        counted != "instructions" && counted != "flops" && counted != "cpu-time")
        hardware.complain("host.counts", "instructions, flops or cpu-time");
    constexpr double usual_speed = 1e9;
    const Host host{values.rate("host.speed", usual_speed), values.count("host.cores", 1),
                    values.has("host.speed_by_burst") ? 1U : 0U};
    std::unique_ptr<Platform> platform;
    if (net != nullptr) {
        platform = build_net(*net, values, host);
    } else if (kind == TopologyKind::graph) {
        platform = build_graph(values, parts, host);
    } else {
        if (!parts.empty()) {
            throw InputError(
                Error{parts[0].file, parts[0].line, 0,
                      fmt::format("[[{}]] has a meaning only for the topology 'graph'", parts[0].kind)});
        }
        Parts built = builder.build(kind);
        platform = std::make_unique<Platform>(std::vector<Host>(built.hosts, host), std::move(built.links),
                                              std::move(built.topology));
    }
    if (values.has("host.speed_by_burst")) {
        platform->bursts.push_back(values.parse("host.speed_by_burst", read_bursts));
    }
    return platform;
}

} // namespace orrery
