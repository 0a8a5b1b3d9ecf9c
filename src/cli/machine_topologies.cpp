// `orrery machine topologies`: what a machine file can say under [topology], from the table of topologies.
#include "cli/machine_verbs.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine_keys.h"
#include "machine/topology_kinds.h"
#include "observe/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace orrery::cli {

namespace {

using Json = nlohmann::ordered_json;

struct TopologyArguments {
    std::string name;
    bool json = false;
};

Json json_of(const TopologyKind& kind) {
    Json keys = Json::array();
    for (const Parameter& each : kind.keys)
        keys.push_back(
            {{"key", each.key}, {"unit", each.unit}, {"default", each.initial}, {"meaning", each.meaning}});
    return {{"name", kind.name}, {"meaning", kind.meaning}, {"keys", std::move(keys)}};
}

const TopologyKind& topology_named(const std::string& name) {
    std::vector<std::string_view> names;
    for (const TopologyKind* const kind : topology_kinds()) {
        if (kind->name == name) return *kind;
        names.push_back(kind->name);
    }
    const std::string near = nearest_word(name, names);
    throw UsageError(fmt::format("there is no topology '{}'{}", name,
                                 near.empty() ? "; 'orrery machine topologies' lists them"
                                              : fmt::format("; did you mean {}?", near)));
}

void print_kind(const TopologyKind& kind) {
    fmt::print("{}: {}\n\n{:<28} {:<10} {:<15} {}\n", kind.name, kind.meaning, "key", "unit", "default",
               "meaning");
    for (const Parameter& each : kind.keys)
        fmt::print("{:<28} {:<10} {:<15} {}\n", each.key, each.unit, each.initial, each.meaning);
}

void print_topologies(const TopologyArguments& arguments) {
    if (!arguments.name.empty()) {
        const TopologyKind& kind = topology_named(arguments.name);
        if (arguments.json) {
            fmt::print("{}\n", json_text(json_of(kind), 2));
        } else {
            print_kind(kind);
        }
        return;
    }
    Json all = Json::array();
    for (const TopologyKind* const kind : topology_kinds()) {
        if (arguments.json) {
            all.push_back(json_of(*kind));
        } else {
            fmt::print("{:<14} {}\n", kind->name, kind->meaning);
        }
    }
    if (arguments.json) fmt::print("{}\n", json_text(all, 2));
}

} // namespace

void add_machine_topologies(const Verb& verb) {
    auto arguments = std::make_shared<TopologyArguments>();
    const Verb topologies = verb.add_subcommand(
        "topologies", "List the topologies that machine files can name, and the keys of one");
    topologies.add_option("topology", arguments->name, "Of this one: its keys, their units and defaults")
        .type_name("TOPOLOGY");
    topologies.add_flag("--json", arguments->json, "Print JSON instead of text");
    topologies.examples({"orrery machine topologies", "orrery machine topologies dragonfly"});
    topologies.callback([arguments] { print_topologies(*arguments); });
}

} // namespace orrery::cli
