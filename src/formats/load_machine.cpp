#include "formats/load_machine.h"

#include "engine/error.h"
#include "engine/naming_file.h"
#include "engine/units.h"
#include "formats/net_formats.h"
#include "formats/simgrid/reader.h"
#include "machine/built_in.h"
#include "machine/machine_builder.h"
#include "machine/machine_file.h"
#include "machine/machine_keys.h"
#include "machine/routing/imported.h"
#include "machine/routing/routed_platform.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

constexpr std::string_view quirks_key = "topology.simgrid_quirks"; // the one key that any machine takes

// Older or shorter names of keys.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> aliases{
    {{"network.latency", "link.latency"},
     {"network.bandwidth", "link.bandwidth"},
     {"topology.simgrid_dragonfly", quirks_key}}};

std::string_view real_key(std::string_view key) {
    for (const auto& [alias, real] : aliases) {
        if (key == alias) return real;
    }
    return key;
}

// "latency" for link.latency, "speed" for host.speed: no key is without its section.
void refuse_bare_key(const std::string& key) {
    if (key.find('.') != std::string::npos) return;
    const std::span<const Parameter> table = machine_parameters();
    for (const std::string_view section : {"link.", "host."}) {
        const std::string whole = std::string(section) + key;
        if (std::any_of(table.begin(), table.end(), [&](const Parameter& row) { return row.key == whole; }))
            throw UsageError(fmt::format("--set: unknown key '{}'; did you mean '{}'?", key, whole));
    }
}

Settings read_overrides(std::span<const std::string> overrides) {
    Settings given;
    for (const std::string& each : overrides) {
        Settings one;
        one.set_from_option(each);
        const auto& [key, setting] = *one.all().begin();
        refuse_bare_key(key);
        given.set(real_key(key), setting.value, setting.file);
    }
    return given;
}

// Each key to where it belongs.
void take(const Settings& from, Machine& machine) {
    for (const auto& [key, setting] : from.all()) {
        const std::string_view real = real_key(key);
        Settings& into = is_hardware_key(real) ? machine.hardware : machine.settings;
        into.set(real, setting.value, setting.file, setting.line);
    }
}

Machine from_text(const MachineText& text, const Settings& overrides, const std::string& file) {
    Machine machine;
    machine.file = file;
    take(text.values, machine);
    take(overrides, machine);
    const std::string stem = std::filesystem::path(file).stem().string();
    machine.name = machine.hardware.word("machine.name", stem);
    machine.description = machine.hardware.word("machine.description", "");
    bool has_topology = !text.parts.empty();
    for (const auto& [key, setting] : machine.hardware.all()) {
        const bool apart = key.starts_with("machine.") || key.starts_with("provenance.") ||
                           key.starts_with("validation.") || key.ends_with(".source") || key == quirks_key;
        has_topology = has_topology || !apart;
    }
    if (has_topology) machine.platform = build_platform(machine.hardware, text.parts, file);
    return machine;
}

Machine from_simgrid(std::string_view text, const Settings& overrides, const std::string& file) {
    for (const auto& [key, setting] : overrides.all()) {
        if (!is_hardware_key(key) || key == quirks_key || key.starts_with("network.")) continue;
        throw UsageError(fmt::format(
            "--set {}: {} is a SimGrid platform, whose hosts and links are what its file says", key, file));
    }
    simgrid::PlatformFile read = simgrid::read_platform(text, file, overrides);
    Machine machine;
    machine.name = std::filesystem::path(file).stem().string();
    machine.description = "SimGrid platform";
    machine.file = file;
    machine.platform = std::move(read.platform);
    machine.ignored = std::move(read.ignored);
    take(read.settings, machine);
    take(overrides, machine);
    return machine;
}

// The keys that neither the file nor `overrides` say: values that nobody measured.
std::string assumed_keys(const Net& net, const Settings& overrides) {
    std::vector<std::string_view> keys;
    const auto add = [&](std::string_view key, bool missing) {
        if (missing && overrides.find(key) == nullptr) keys.push_back(key);
    };
    const auto any_cable = [&](auto&& lacks) {
        return std::any_of(net.cables.begin(), net.cables.end(), lacks);
    };
    const auto any_host = [&](auto&& lacks) {
        return std::any_of(net.nodes.begin(), net.nodes.end(),
                           [&](const Net::Node& node) { return node.host && lacks(node); });
    };
    add("link.bandwidth", any_cable([](const Net::Cable& cable) { return !cable.bandwidth; }));
    add("link.latency", any_cable([](const Net::Cable& cable) { return !cable.latency; }));
    add("host.cores", any_host([](const Net::Node& node) { return !node.cores; }));
    add("host.speed", any_host([](const Net::Node& node) { return !node.speed; }));
    return fmt::format("{}", fmt::join(keys, ", "));
}

// A file of another program that describes a network: Myrinet, InfiniBand, Slurm.
Machine from_net(std::string_view text, NetFormat format, const Settings& overrides, const std::string& file) {
    const Net net = read_net(text, file, format);
    Machine machine;
    machine.name = std::filesystem::path(file).stem().string();
    machine.description = "network of " + net.origin_words;
    machine.ignored = net.left_out;
    machine.file = file;
    set_net_defaults(net, machine.hardware);
    machine.hardware.set(
        "provenance.source",
        fmt::format("{} ({})", net.origin_words, std::filesystem::path(file).filename().string()), file);
    if (const std::string assumed = assumed_keys(net, overrides); !assumed.empty())
        machine.hardware.set("provenance.assumed", assumed, net.origin);
    // Its routes, if they lie beside it.
    const std::filesystem::path beside = std::filesystem::path(file).replace_extension(".routes");
    std::error_code none;
    if (format == NetFormat::myrinet_map && std::filesystem::is_regular_file(beside, none)) {
        machine.settings.set("routing.policy", "file", file);
        machine.settings.set("routing.file", beside.filename().string(), file);
    }
    take(overrides, machine);
    if (machine.hardware.word("topology.type", "") != "graph") {
        machine.hardware.complain("topology.type", "graph, as " + file + " is one");
    }
    machine.platform = build_platform(machine.hardware, {}, file, &net);
    return machine;
}

// With routing.policy = file all networks follow the routes of that file, which is looked for beside the one
// that names it.
void follow_route_file(Machine& machine) {
    const Setting* const said = machine.settings.find("routing.file");
    if (said == nullptr || !machine.platform || machine.settings.word("routing.policy", "auto") != "file")
        return;
    const Setting file = *said;
    const bool in_a_file = file.file != "--set";
    const std::filesystem::path folder = in_a_file ? std::filesystem::path(file.file).parent_path() : "";
    const std::string path = (folder / file.value).lexically_normal().string();
    machine.settings.set("routing.file", path, file.file, file.line);
    machine.platform = with_routes(machine.platform, read_route_text(path), path);
}

// Whether a text is XML, whatever its file is called.
bool looks_like_xml(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '<';
}

} // namespace

Machine machine_from_text(std::string_view text, const std::string& file,
                          std::span<const std::string> overrides) {
    const Settings given = read_overrides(overrides);
    const auto read = [&] {
        if (file.ends_with(".xml") || looks_like_xml(text)) return from_simgrid(text, given, file);
        const auto format = net_format(text, file);
        if (format) return from_net(text, *format, given, file);
        return from_text(read_machine_text(text, file), given, file);
    };
    return naming_file(file, [&] {
        Machine machine = read();
        follow_route_file(machine);
        return machine;
    });
}

namespace {

// The first line of TOML that is neither blank nor a comment.
std::string_view first_statement(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin != std::string_view::npos && line[begin] != '#') return line.substr(begin);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return {};
}

// Somebody may give a trace, or any other file, where a machine is expected.
void refuse_other_file(const std::string& path, std::string_view text) {
    constexpr std::array<std::string_view, 7> traces{".oti", ".ort", ".goal", ".orr", ".bin", ".dim", ".prv"};
    constexpr std::string_view expected = "expected a machine file (TOML with [topology] or [loggops]), a "
                                          "SimGrid platform (.xml), a Myrinet map, "
                                          "ibnetdiscover's output or Slurm's topology.conf";
    const bool trace = std::any_of(traces.begin(), traces.end(),
                                   [&](std::string_view ending) { return path.ends_with(ending); });
    if (trace)
        throw InputError(
            Error{path, 0, 0, fmt::format("this is a trace or schedule, not a machine; {}", expected)});
    const std::string_view first = first_statement(text);
    const bool toml = first.empty() || first.starts_with('[') || first.find('=') != std::string_view::npos;
    const bool known = path.ends_with(".toml") || path.ends_with(".xml") || path.ends_with(".map") ||
                       looks_like_xml(text) || net_format(text, path);
    const bool binary = text.find('\0') != std::string_view::npos;
    if (!known && (binary || !toml))
        throw InputError(Error{path, 0, 0, fmt::format("not a machine; {}", expected)});
}

} // namespace

Machine load_machine(const std::string& name_or_path, std::span<const std::string> overrides) {
    std::error_code none;
    const bool path = name_or_path.ends_with(".toml") || name_or_path.ends_with(".xml") ||
                      name_or_path.ends_with(".map") ||
                      (std::filesystem::exists(name_or_path, none) && // also a pipe
                       !std::filesystem::is_directory(name_or_path, none));
    if (path) {
        const std::string text = read_whole_file(name_or_path);
        refuse_other_file(name_or_path, text);
        return machine_from_text(text, name_or_path, overrides);
    }
    std::vector<std::string_view> names;
    for (const BuiltInMachine& each : built_in_machines()) {
        const std::string file = fmt::format("machines/{}.toml", each.name);
        if (name_or_path == each.name) return machine_from_text(each.text, file, overrides);
        names.push_back(each.name);
    }
    if (std::filesystem::is_directory(name_or_path, none))
        throw InputError(Error{name_or_path, 0, 0, "is a folder, not a machine"});
    const std::string near = nearest_word(name_or_path, names);
    throw UsageError(
        fmt::format("there is no machine '{}': neither a file nor built in{}; `orrery machine list` names "
                    "the built-in ones",
                    name_or_path, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

} // namespace orrery
