#include "machine/machine_keys.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine.h"
#include "machine/topology_kinds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

namespace orrery {

namespace {

// Of every topology. What one or a few have stands in their rows (topologies/*_kind.cpp).
constexpr std::array common_keys{
    Parameter{"machine.name", "word", "the file's name", "what the machine is called"},
    Parameter{"machine.description", "words", "", "one line about it"},
    Parameter{"provenance.source", "words", "", "where the values of the whole machine come from"},
    Parameter{"provenance.date", "word", "", "when they were measured"},
    Parameter{"provenance.assumed", "list", "",
              "keys whose values nobody measured: each prediction warns of them"},
    Parameter{"provenance.message_error", "percentage", "",
              "mean error of message times, as 'orrery calibrate' measured it"},
    Parameter{"validation.error", "percentage", "",
              "largest error of a program; 'orrery validate --store' writes this section"},
    Parameter{"validation.mean_error", "percentage", "", "mean of the absolute errors"},
    Parameter{"validation.programs", "count", "", "how many programs were compared"},
    Parameter{"validation.network", "word", "", "the network with which they were predicted"},
    Parameter{"validation.date", "word", "", "when they were compared"},
    Parameter{"host.speed", "rate", "1 Gflop/s",
              "of one core: instructions or flops per second, as the trace counts"},
    Parameter{"host.speed_by_burst", "table", "",
              "speeds by the size of a computation: '0: 2 Gflop/s; 1e6: 3 Gflop/s' (from that size on)"},
    Parameter{
        "host.counts", "word", "instructions",
        "what speed is the rate of: instructions, flops, or cpu-time (a trace of CPU time then runs at that "
        "speed, not as fast as it was recorded)"},
    Parameter{"host.cores", "count", "1", "cores of a host"},
    Parameter{"link.bandwidth", "bandwidth", "", "of each cable, in each direction"},
    Parameter{"link.latency", "time", "", "of each cable"},
    Parameter{
        "link.sharing", "word", "split-duplex",
        "split-duplex (a link for each direction), shared (both directions share one), fat-pipe (never full)"},
    Parameter{"link.LEVEL.bandwidth", "bandwidth", "link.bandwidth", "of the cables of one level or kind"},
    Parameter{"link.LEVEL.latency", "time", "link.latency", "of the cables of one level or kind"},
    Parameter{"link.LEVEL.sharing", "word", "link.sharing", "of the cables of one level or kind"},
    Parameter{"loopback.bandwidth", "bandwidth", "10 GB/s",
              "from a host to itself; 'none': over its own cable"},
    Parameter{"loopback.latency", "time", "0", "from a host to itself"},
    Parameter{"loopback.sharing", "word", "fat-pipe", "fat-pipe or shared"},
    Parameter{"topology.type", "word", "", "the kind of network: 'orrery machine topologies' lists them"},
    Parameter{"rails.count", "count", "1", "equal networks side by side, each message over one of them"},
    Parameter{"rails.beside", "list", "",
              "machines whose networks are further rails: files next to this one, or names"},
    Parameter{"rails.choose", "word", "round-robin",
              "the rail of a message: round-robin (of its host), source, size, hash (of the pair)"},
    Parameter{"rails.below", "list", "",
              "rails.choose = size: the first rail takes messages below the first size, and so on"},
    Parameter{"topology.simgrid_quirks", "yes/no", "no",
              "route in every detail as SimGrid 3.32 does (fat-tree, torus, dragonfly)"}};

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

std::string_view section_of(std::string_view key) { return key.substr(0, key.find('.')); }

bool has_key(std::span<const Parameter> keys, std::string_view key) {
    return std::any_of(keys.begin(), keys.end(), [&](const Parameter& each) { return each.key == key; });
}

} // namespace

// Each key once, as the first topology has it.
std::span<const Parameter> machine_parameters() {
    static const std::vector<Parameter> all = [] {
        std::vector<Parameter> keys(common_keys.begin(), common_keys.end());
        for (const TopologyKind* const kind : topology_kinds()) {
            for (const Parameter& each : kind->keys) {
                if (!has_key(keys, each.key)) keys.push_back(each);
            }
        }
        return keys;
    }();
    return all;
}

std::vector<Parameter> parameters_for(const TopologyKind& kind) {
    std::vector<Parameter> keys(common_keys.begin(), common_keys.end());
    keys.insert(keys.end(), kind.keys.begin(), kind.keys.end());
    return keys;
}

bool is_hardware_key(std::string_view key) {
    if (is_source(key) || key.starts_with("network.loopback-")) return true;
    const std::string_view section = section_of(key);
    const auto all = machine_parameters();
    return std::any_of(all.begin(), all.end(),
                       [&](const Parameter& each) { return section_of(each.key) == section; });
}

void check_hardware_keys(const Settings& values, const TopologyKind& kind) {
    const std::vector<std::string> cables =
        kind.cables == nullptr ? std::vector<std::string>{} : kind.cables(values);
    std::vector<std::string> known;
    for (const Parameter& each : parameters_for(kind)) {
        if (!each.key.starts_with("link.LEVEL.")) {
            known.emplace_back(each.key);
            continue;
        }
        for (const std::string& name : cables)
            known.push_back(fmt::format("link.{}.{}", name, each.key.substr(each.key.rfind('.') + 1)));
    }
    for (const auto& [key, setting] : values.all()) {
        if (is_source(key) || std::find(known.begin(), known.end(), key) != known.end()) continue;
        if (has_key(machine_parameters(), key))
            fail_setting(setting, fmt::format("'{}' has no meaning for the topology '{}'", key, kind.name));
        const std::string near = nearest_word(key, known);
        fail_setting(setting, fmt::format("unknown key '{}'{}", key,
                                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
}

void check_part_keys(const Settings& values) {
    const std::array tables{std::span<const Parameter>(part_table)};
    values.check_known(tables);
}

} // namespace orrery
