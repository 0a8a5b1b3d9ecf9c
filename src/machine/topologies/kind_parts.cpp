#include "machine/topologies/kind_parts.h"

#include "machine/machine_limits.h"
#include "machine/topologies/lists.h"

namespace orrery {

std::vector<std::string> cables_of_dimensions(const Settings& hardware) {
    std::vector<std::string> names = numbered_cables(
        "dimension", [&] { return parse_counts(hardware.word("topology.dimensions", "")).size(); });
    names.emplace_back("node");
    return names;
}

std::vector<Cable> cables_by_number(const MachineValues& values, std::string_view word, std::size_t count) {
    std::vector<Cable> cables;
    for (std::size_t i = 1; i <= count; ++i)
        cables.push_back(values.cable(fmt::format("link.{}{}", word, i), "link"));
    return cables;
}

std::optional<double> limiter_of(const MachineValues& values) {
    const auto cable = values.optional_cable("limiter");
    if (!cable) return std::nullopt;
    return cable->bandwidth;
}

bool has_simgrid_quirks(const MachineValues& values) {
    return values.settings().flag("topology.simgrid_quirks", false);
}

std::optional<Cable> node_cable_of(const MachineValues& values, std::uint32_t hosts_per_router) {
    const bool given =
        values.has("link.node.bandwidth") || values.has("link.node.latency") || values.has("link.node.sharing");
    if (hosts_per_router == 1 && !given) return std::nullopt;
    return values.cable("link.node", "link");
}

HostNames host_names_of(const MachineValues& values, std::uint64_t count, const std::string& key) {
    if (count > machine_limits().hosts) {
        values.fail(key, fmt::format("makes more than {} hosts", machine_limits().hosts));
    }
    const Settings& settings = values.settings();
    std::string prefix = settings.word("host.prefix", "n");
    std::string suffix = settings.word("host.suffix", "");
    if (!values.has("host.numbers")) return {std::move(prefix), static_cast<std::uint32_t>(count), suffix};
    HostNames named = values.parse("host.numbers", [&](std::string_view numbers) {
        return HostNames(std::move(prefix), numbers, std::move(suffix));
    });
    if (named.count() != count) {
        values.fail("host.numbers", fmt::format("names {} hosts, but {} makes {}", named.count(), key, count));
    }
    return named;
}

} // namespace orrery
