#include "machine/machine_keys.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::array<std::string_view, 11> kind_names{"crossbar",     "cluster",   "cabinets", "fat-tree",
                                                      "k-ary-n-tree", "torus",     "mesh",     "hypercube",
                                                      "hyperx",       "dragonfly", "graph"};

constexpr std::uint32_t bit(TopologyKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr std::uint32_t all_kinds = (1U << kind_names.size()) - 1;
constexpr std::uint32_t regular = all_kinds & ~bit(TopologyKind::graph);
constexpr std::uint32_t crossbar = bit(TopologyKind::crossbar);
constexpr std::uint32_t cluster = bit(TopologyKind::cluster);
constexpr std::uint32_t cabinets = bit(TopologyKind::cabinets);
constexpr std::uint32_t fat_tree = bit(TopologyKind::fat_tree);
constexpr std::uint32_t torus = bit(TopologyKind::torus);
constexpr std::uint32_t hypercube = bit(TopologyKind::hypercube);
constexpr std::uint32_t dragonfly = bit(TopologyKind::dragonfly);
constexpr std::uint32_t graph = bit(TopologyKind::graph);
constexpr std::uint32_t mesh = bit(TopologyKind::mesh);
constexpr std::uint32_t hyperx = bit(TopologyKind::hyperx);
constexpr std::uint32_t k_ary_n_tree = bit(TopologyKind::k_ary_n_tree);

struct Row {
    std::uint32_t topologies; // where the key has a meaning
    Parameter parameter;
};

constexpr std::array rows{
    Row{all_kinds, {"machine.name", "word", "the file's name", "what the machine is called"}},
    Row{all_kinds, {"machine.description", "words", "", "one line about it"}},
    Row{all_kinds, {"provenance.source", "words", "", "where the values of the whole machine come from"}},
    Row{all_kinds, {"provenance.date", "word", "", "when they were measured"}},
    Row{all_kinds,
        {"provenance.assumed", "list", "", "keys whose values nobody measured: each prediction warns of them"}},
    Row{all_kinds,
        {"provenance.message_error", "percentage", "",
         "mean error of message times, as 'orrery calibrate' measured it"}},
    Row{all_kinds,
        {"validation.error", "percentage", "",
         "largest error of a program; 'orrery validate --store' writes this section"}},
    Row{all_kinds, {"validation.mean_error", "percentage", "", "mean of the absolute errors"}},
    Row{all_kinds, {"validation.programs", "count", "", "how many programs were compared"}},
    Row{all_kinds, {"validation.network", "word", "", "the network with which they were predicted"}},
    Row{all_kinds, {"validation.date", "word", "", "when they were compared"}},
    Row{all_kinds,
        {"host.speed", "rate", "1 Gflop/s",
         "of one core: instructions or flops per second, as the trace counts"}},
    Row{all_kinds,
        {"host.speed_by_burst", "table", "",
         "speeds by the size of a computation: '0: 2 Gflop/s; 1e6: 3 Gflop/s' (from that size on)"}},
    Row{all_kinds,
        {"host.counts", "word", "instructions",
         "what speed is the rate of: instructions, flops, or cpu-time (a trace of CPU time then runs at that "
         "speed, not as fast as it was recorded)"}},
    Row{all_kinds, {"host.cores", "count", "1", "cores of a host"}},
    Row{regular, {"host.prefix", "word", "n", "what the names of hosts begin with"}},
    Row{regular, {"host.suffix", "word", "", "what the names of hosts end with"}},
    Row{regular, {"host.numbers", "list", "0 to n-1", "the numbers in their names, such as 1-39,58"}},
    Row{all_kinds, {"link.bandwidth", "bandwidth", "", "of each cable, in each direction"}},
    Row{all_kinds, {"link.latency", "time", "", "of each cable"}},
    Row{all_kinds,
        {"link.sharing", "word", "split-duplex",
         "split-duplex (a link for each direction), shared (both directions share one), fat-pipe (never "
         "full)"}},
    Row{all_kinds,
        {"link.LEVEL.bandwidth", "bandwidth", "link.bandwidth", "of the cables of one level or kind"}},
    Row{all_kinds, {"link.LEVEL.latency", "time", "link.latency", "of the cables of one level or kind"}},
    Row{all_kinds, {"link.LEVEL.sharing", "word", "link.sharing", "of the cables of one level or kind"}},
    Row{all_kinds,
        {"loopback.bandwidth", "bandwidth", "10 GB/s", "from a host to itself; 'none': over its own cable"}},
    Row{all_kinds, {"loopback.latency", "time", "0", "from a host to itself"}},
    Row{all_kinds, {"loopback.sharing", "word", "fat-pipe", "fat-pipe or shared"}},
    Row{all_kinds,
        {"topology.type", "word", "",
         "crossbar, cluster, cabinets, fat-tree, k-ary-n-tree, torus, mesh, hypercube, hyperx, dragonfly, "
         "graph"}},
    Row{crossbar | cluster, {"topology.hosts", "count", "", "crossbar, cluster: how many hosts"}},
    Row{cluster | fat_tree | k_ary_n_tree | torus | mesh | dragonfly,
        {"limiter.bandwidth", "bandwidth", "none",
         "cluster, fat-tree, torus, mesh, dragonfly: what a host's interface (and a switch) transfers in both "
         "directions "
         "together"}},
    Row{cluster, {"backbone.bandwidth", "bandwidth", "none", "cluster: a link that all messages pass"}},
    Row{cluster, {"backbone.latency", "time", "0", "cluster: of the backbone"}},
    Row{cluster, {"backbone.sharing", "word", "shared", "cluster: shared or fat-pipe"}},
    Row{cabinets, {"topology.cabinets", "list", "", "cabinets: the hosts of each, or the number of cabinets"}},
    Row{cabinets, {"topology.hosts_per_cabinet", "count", "", "cabinets: if topology.cabinets is a number"}},
    Row{cabinets,
        {"uplink.bandwidth", "bandwidth", "link.bandwidth", "cabinets: from a cabinet's switch to the core"}},
    Row{cabinets, {"uplink.latency", "time", "link.latency", "cabinets: of an uplink"}},
    Row{cabinets, {"uplink.sharing", "word", "link.sharing", "cabinets: of an uplink"}},
    Row{cabinets,
        {"core.bandwidth", "bandwidth", "none", "cabinets: a link that all messages between cabinets pass"}},
    Row{cabinets, {"core.latency", "time", "0", "cabinets: of the core"}},
    Row{cabinets, {"core.sharing", "word", "shared", "cabinets: shared or fat-pipe"}},
    Row{fat_tree,
        {"topology.levels", "lists", "",
         "fat-tree: levels; children; parents; parallel cables: '2; 20,320; 1,8; 1,2'"}},
    Row{k_ary_n_tree, {"topology.k", "count", "", "k-ary-n-tree: children and parents of a switch"}},
    Row{k_ary_n_tree, {"topology.n", "count", "", "k-ary-n-tree: levels of switches"}},
    Row{torus | mesh | hyperx | hypercube,
        {"topology.dimensions", "list", "",
         "torus, mesh, hyperx: routers in each dimension; hypercube: number of dimensions"}},
    Row{dragonfly, {"topology.groups", "count", "", "dragonfly: groups"}},
    Row{dragonfly, {"topology.chassis", "count", "1", "dragonfly: chassis in a group"}},
    Row{dragonfly, {"topology.routers", "count", "", "dragonfly: routers in a chassis"}},
    Row{torus | mesh | hypercube | hyperx | dragonfly,
        {"topology.hosts_per_router", "count", "1",
         "torus, mesh, hypercube, hyperx, dragonfly (required): hosts on a router, with cables of their own "
         "([link.node]) where there are several"}},
    Row{dragonfly, {"topology.blue", "count", "1", "dragonfly: cables between two groups"}},
    Row{dragonfly,
        {"topology.black", "count", "1", "dragonfly: cables between two chassis of a group, at each place"}},
    Row{dragonfly, {"topology.green", "count", "1", "dragonfly: cables between two routers of a chassis"}},
    Row{all_kinds, {"rails.count", "count", "1", "equal networks side by side, each message over one of them"}},
    Row{all_kinds,
        {"rails.beside", "list", "",
         "machines whose networks are further rails: files next to this one, or names"}},
    Row{all_kinds,
        {"rails.choose", "word", "round-robin",
         "the rail of a message: round-robin (of its host), source, size, hash (of the pair)"}},
    Row{all_kinds,
        {"rails.below", "list", "",
         "rails.choose = size: the first rail takes messages below the first size, and so on"}},
    Row{all_kinds,
        {"topology.simgrid_quirks", "yes/no", "no",
         "route in every detail as SimGrid 3.32 does (fat-tree, torus, dragonfly)"}},
    Row{graph, {"topology.cost", "word", "hops", "graph: routes have the fewest hops or the least latency"}},
    Row{graph,
        {"topology.through_hosts", "yes/no", "yes",
         "graph: messages may pass other hosts on their route, where hosts have several cables"}},
};

constexpr auto table = [] {
    std::array<Parameter, rows.size()> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = rows[i].parameter;
    return out;
}();

constexpr std::array<std::string_view, 12> sections{"rails",    "machine",  "host",       "link",
                                                    "loopback", "topology", "limiter",    "backbone",
                                                    "uplink",   "core",     "provenance", "validation"};

// Where [[hosts]] and the like may speak.
constexpr std::array part_table{
    Parameter{"hosts.names", "list", "", "n0, or n[0-15] for n0 to n15"},
    Parameter{"hosts.switch", "word", "", "a node to which each of them has a cable as [link] says"},
    Parameter{"hosts.speed", "rate", "host.speed", ""},
    Parameter{"hosts.cores", "count", "host.cores", ""},
    Parameter{"switches.names", "list", "", "s0, or s[0-7] for s0 to s7"},
    Parameter{"switches.level", "count", "0", "for pictures: their distance from the hosts"},
    Parameter{"cables.from", "word", "", "a host or switch"},
    Parameter{"cables.to", "word", "", "a host or switch"},
    Parameter{"cables.name", "word", "FROM-TO", "how routes refer to it"},
    Parameter{"cables.from_port", "count", "the lowest free one", "at `from`"},
    Parameter{"cables.to_port", "count", "the lowest free one", "at `to`"},
    Parameter{"cables.bandwidth", "bandwidth", "link.bandwidth", ""},
    Parameter{"cables.latency", "time", "link.latency", ""},
    Parameter{"cables.sharing", "word", "link.sharing", ""},
    Parameter{"routes.from", "word", "", "a host"},
    Parameter{"routes.to", "word", "", "a host"},
    Parameter{"routes.cables", "list", "", "the names of the cables, in order"},
    Parameter{"routes.symmetrical", "yes/no", "yes", "the reverse route is the same"},
};

bool is_source(std::string_view key) { return key.ends_with(".source"); }

} // namespace

std::span<const Parameter> machine_parameters() { return table; }

std::span<const std::string_view> topology_names() { return kind_names; }

TopologyKind topology_kind(const Settings& values) {
    const std::string word = values.word("topology.type", "");
    const auto found = std::find(kind_names.begin(), kind_names.end(), word);
    if (found != kind_names.end()) return static_cast<TopologyKind>(found - kind_names.begin());
    const std::string near = nearest_word(word, kind_names);
    values.complain("topology.type", fmt::format("one of {}{}", fmt::join(kind_names, ", "),
                                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

std::vector<Parameter> parameters_for(TopologyKind kind) {
    std::vector<Parameter> out;
    for (const Row& row : rows) {
        if ((row.topologies & bit(kind)) != 0) out.push_back(row.parameter);
    }
    return out;
}

bool is_hardware_key(std::string_view key) {
    const std::string_view section = key.substr(0, key.find('.'));
    return is_source(key) || key.starts_with("network.loopback-") ||
           std::find(sections.begin(), sections.end(), section) != sections.end();
}

void check_hardware_keys(const Settings& values, TopologyKind kind,
                         std::span<const std::string> kinds_of_cable) {
    std::vector<std::string> known;
    for (const Row& row : rows) {
        if ((row.topologies & bit(kind)) == 0) continue;
        const std::string_view key = row.parameter.key;
        if (!key.starts_with("link.LEVEL.")) {
            known.emplace_back(key);
            continue;
        }
        for (const std::string& name : kinds_of_cable) {
            known.push_back(fmt::format("link.{}.{}", name, key.substr(key.rfind('.') + 1)));
        }
    }
    for (const auto& [key, setting] : values.all()) {
        if (is_source(key) || std::find(known.begin(), known.end(), key) != known.end()) continue;
        const bool elsewhere = std::any_of(table.begin(), table.end(),
                                           [&name = key](const Parameter& row) { return row.key == name; });
        const std::string near = nearest_word(key, known);
        fail_setting(setting, elsewhere
                                  ? fmt::format("'{}' has no meaning for the topology '{}'", key,
                                                kind_names[static_cast<std::size_t>(kind)])
                                  : fmt::format("unknown key '{}'{}", key,
                                                near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
}

void check_part_keys(const Settings& values) {
    const std::array tables{std::span<const Parameter>(part_table)};
    values.check_known(tables);
}

} // namespace orrery
