// `orrery machine`: which machines there are, what one is made of, and routes. What else can be done with a
// machine has files of its own (machine_verbs.h).
#include "machine/machine.h"
#include "cli/machine_verbs.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/naming_file.h"
#include "engine/too_long.h"
#include "engine/units.h"
#include "formats/load_machine.h"
#include "machine/built_in.h"
#include "machine/machine_keys.h"
#include "machine/topology_kinds.h"
#include "observe/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace orrery::cli {

namespace {

using Json = nlohmann::ordered_json;

struct MachineArguments : MachineChoice {
    std::string from;
    std::string to;
    bool json = false;
};

// One row of `show`: a key, its value, and who said so.
struct Row {
    std::string key;
    std::string value;
    std::string origin;
};

std::vector<Row> rows_of(const Machine& machine) {
    std::vector<Row> rows;
    for (const Settings* settings : {&machine.hardware, &machine.settings}) {
        for (const auto& [key, setting] : settings->all()) {
            if (key != "machine.description") rows.push_back({key, setting.value, origin_words(setting)});
        }
    }
    if (machine.hardware.find("topology.type") != nullptr) {
        for (const Parameter& each : parameters_for(topology_kind(machine.hardware))) {
            const bool several = each.key.find("LEVEL") != std::string_view::npos;
            if (several || each.initial.empty() || machine.hardware.find(each.key) != nullptr) continue;
            rows.push_back({std::string(each.key), std::string(each.initial), "default"});
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key < b.key; });
    return rows;
}

std::uint64_t cores_of(const Platform& platform) {
    std::uint64_t cores = 0;
    for (std::uint32_t i = 0; i < platform.host_count(); ++i) cores += platform.host({i}).cores;
    return cores;
}

struct RouteFacts {
    std::vector<LinkId> links;
    Time latency;
    double bandwidth = 0; // of the narrowest link; 0 without links
};

RouteFacts route_between(const Platform& platform, HostId from, HostId to) {
    RouteFacts facts;
    platform.route(from, to, facts.links);
    for (const LinkId link : facts.links) {
        add_latency(facts.latency, platform.link(link).latency);
        const double speed = platform.link(link).bandwidth;
        facts.bandwidth = facts.bandwidth == 0 ? speed : std::min(facts.bandwidth, speed);
    }
    return facts;
}

std::string route_words(const RouteFacts& facts) {
    if (facts.links.empty()) return "no link";
    return fmt::format("{} link{}, {}, {}", facts.links.size(), facts.links.size() == 1 ? "" : "s",
                       format_time(facts.latency), format_bandwidth(facts.bandwidth));
}

// From the first host to itself, the second, the middle and the last one.
std::vector<std::pair<HostId, HostId>> example_pairs(const Platform& platform) {
    const std::uint32_t hosts = platform.host_count();
    std::vector<std::pair<HostId, HostId>> pairs;
    for (const std::uint32_t to : {0U, 1U, hosts / 2, hosts - 1}) {
        const std::pair pair{HostId{0}, HostId{to}};
        if (to < hosts && std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
    }
    return pairs;
}

void show_platform(const Platform& platform) {
    const Topology& topology = platform.topology();
    const Host& host = platform.host({0});
    fmt::print("  topology   {}\n", topology.words());
    fmt::print("  hosts      {}, {} cores; {}: {} core{} of {}\n", format_count(platform.host_count()),
               format_count(cores_of(platform)), topology.host_name({0}), host.cores,
               host.cores == 1 ? "" : "s", format_rate(host.speed));
    fmt::print("  links      {}\n", format_count(platform.link_count()));
    if (const auto bisection = topology.bisection())
        fmt::print("  bisection  {}\n", format_bandwidth(*bisection));
    for (const auto& [from, to] : example_pairs(platform)) {
        fmt::print("  route      {} to {}: {}\n", topology.host_name(from), topology.host_name(to),
                   route_words(route_between(platform, from, to)));
    }
}

Json platform_json(const Platform& platform) {
    const Topology& topology = platform.topology();
    Json out;
    out["topology"] = topology.words();
    out["hosts"] = platform.host_count();
    out["cores"] = cores_of(platform);
    out["links"] = platform.link_count();
    const auto bisection = topology.bisection();
    out["bisection_bytes_per_second"] = bisection ? Json(*bisection) : Json(nullptr);
    out["routes"] = Json::array();
    for (const auto& [from, to] : example_pairs(platform)) {
        const RouteFacts facts = route_between(platform, from, to);
        out["routes"].push_back({{"from", topology.host_name(from)},
                                 {"to", topology.host_name(to)},
                                 {"links", facts.links.size()},
                                 {"latency_ps", facts.latency.ps()},
                                 {"bandwidth_bytes_per_second", facts.bandwidth}});
    }
    return out;
}

void show(const MachineArguments& arguments) {
    const Machine machine = load_machine(arguments.name, arguments.overrides);
    const std::vector<Row> rows = rows_of(machine);
    if (arguments.json) {
        Json out{{"name", machine.name}, {"description", machine.description}, {"file", machine.file}};
        out["platform"] = machine.platform ? platform_json(*machine.platform) : Json(nullptr);
        out["values"] = Json::array();
        for (const Row& row : rows) {
            out["values"].push_back({{"key", row.key}, {"value", row.value}, {"origin", row.origin}});
        }
        out["ignored"] = machine.ignored;
        fmt::print("{}\n", json_text(out, 2));
        return;
    }
    fmt::print("{}{}{}\n", machine.name, machine.description.empty() ? "" : ": ", machine.description);
    fmt::print("  file       {}\n", machine.file);
    if (machine.platform) show_platform(*machine.platform);
    std::size_t key = 0;
    std::size_t value = 0;
    for (const Row& row : rows) {
        if (row.key.ends_with(".source")) continue;
        key = std::max(key, row.key.size());
        value = std::max(value, row.value.size());
    }
    if (!rows.empty()) fmt::print("values, and where each comes from\n");
    for (const Row& row : rows) {
        if (!row.key.ends_with(".source")) {
            fmt::print("  {:<{}}  {:<{}}  {}\n", row.key, key, row.value, value, row.origin);
        }
    }
    bool first = true;
    for (const Row& row : rows) {
        if (!row.key.ends_with(".source")) continue;
        if (std::exchange(first, false)) fmt::print("sources\n");
        fmt::print("  [{}] {}\n", row.key.substr(0, row.key.rfind('.')), row.value);
    }
    for (const std::string& each : machine.ignored) fmt::print("passed over: {}\n", each);
}

void list(bool json) {
    Json out = Json::array();
    for (const BuiltInMachine& each : built_in_machines()) {
        const Machine machine = load_machine(std::string(each.name));
        if (json) {
            out.push_back({{"name", machine.name},
                           {"description", machine.description},
                           {"hosts", machine.platform ? machine.platform->host_count() : 0}});
        } else {
            fmt::print("{:<16} {}\n", machine.name, machine.description);
        }
    }
    if (json) fmt::print("{}\n", json_text(out, 2));
}

HostId host_named(const std::string& name, const Platform& platform) {
    if (const auto host = platform.topology().find_host(name)) return *host;
    throw UsageError(fmt::format("the machine has no host '{}'; its first is '{}', its last '{}'", name,
                                 platform.topology().host_name({0}),
                                 platform.topology().host_name({platform.host_count() - 1})));
}

void route(const MachineArguments& arguments) {
    const Machine machine = load_machine(arguments.name, arguments.overrides);
    const Platform& platform = platform_of(machine);
    const RouteFacts facts =
        route_between(platform, host_named(arguments.from, platform), host_named(arguments.to, platform));
    if (arguments.json) {
        Json out{{"from", arguments.from},
                 {"to", arguments.to},
                 {"latency_ps", facts.latency.ps()},
                 {"bandwidth_bytes_per_second", facts.bandwidth},
                 {"links", Json::array()}};
        for (const LinkId link : facts.links) {
            out["links"].push_back({{"name", platform.topology().link_name(link)},
                                    {"bandwidth_bytes_per_second", platform.link(link).bandwidth},
                                    {"latency_ps", platform.link(link).latency.ps()},
                                    {"shared", platform.link(link).sharing == Sharing::shared}});
        }
        fmt::print("{}\n", json_text(out, 2));
        return;
    }
    fmt::print("{} to {}: {}\n", arguments.from, arguments.to, route_words(facts));
    for (const LinkId link : facts.links) {
        const Link& each = platform.link(link);
        fmt::print("  {:<40} {:>12} {:>12}{}\n", platform.topology().link_name(link),
                   format_bandwidth(each.bandwidth), format_time(each.latency),
                   each.sharing == Sharing::fat_pipe ? "  fat pipe" : "");
    }
}

} // namespace

const Platform& platform_of(const Machine& machine) {
    if (!machine.platform)
        throw InputError(Error{machine.file, 0, 0, "has no [topology], so no hosts and links"});
    return *machine.platform;
}

void add_machine_choice(const Verb& verb, MachineChoice& choice) {
    verb.add_option("machine", choice.name,
                    "The machine; or a network file of another program (docs/fabric_files.md)")
        .type_name("MACHINE")
        .required();
    verb.add_option("--set", choice.overrides, "Change a value of the machine; may be repeated")
        .type_name("KEY=VALUE")
        .one_each_time();
}

void add_machine(const Verb& app) {
    const Verb verb =
        app.add_subcommand("machine", "List, show, check, draw, import and export machines; show routes");
    verb.require_subcommand();
    verb.group("Machines");
    verb.examples({"orrery machine list", "orrery machine show graphene --set network.latency=30us",
                   "orrery machine check cluster.toml --pattern shift:1",
                   "orrery machine draw cluster.toml -o cluster.svg",
                   "orrery machine export cluster.toml -o cluster.map",
                   "orrery machine route stampede n0 n6399"});
    verb.notes("'orrery help machine VERB' explains one of them.");
    auto arguments = std::make_shared<MachineArguments>();

    const Verb list_verb = verb.add_subcommand("list", "List the built-in machines");
    list_verb.add_flag("--json", arguments->json, "Print a JSON array instead of text");
    list_verb.examples({"orrery machine list"});
    list_verb.callback([arguments] { list(arguments->json); });

    const Verb show_verb =
        verb.add_subcommand("show", "Show what a machine consists of, and where each value comes from");
    add_machine_choice(show_verb, *arguments);
    show_verb.add_flag("--json", arguments->json, "Print one JSON object instead of text");
    show_verb.examples({"orrery machine show stampede", "orrery machine show odin --set link.latency=2us"});
    show_verb.callback([arguments] { show(*arguments); });

    add_machine_topologies(verb);
    add_machine_check(verb);
    add_machine_draw(verb);
    add_machine_files(verb);

    const Verb route_verb = verb.add_subcommand("route", "Show the links between two hosts");
    add_machine_choice(route_verb, *arguments);
    route_verb.add_option("from", arguments->from, "The host that sends").type_name("FROM").required();
    route_verb.add_option("to", arguments->to, "The host that receives").type_name("TO").required();
    route_verb.add_flag("--json", arguments->json, "Print one JSON object instead of text");
    route_verb.examples({"orrery machine route stampede n0 n6399"});
    route_verb.callback([arguments] { naming_file(arguments->name, [&] { route(*arguments); }); });
}

} // namespace orrery::cli
