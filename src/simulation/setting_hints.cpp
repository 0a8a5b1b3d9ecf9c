#include "simulation/setting_hints.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

// Of which networks a row speaks.
enum class HintFor : std::uint8_t { loggops, with_links, any };

// The first row whose `begins` the name begins with, for this network.
struct SettingHint {
    std::string_view begins;
    HintFor networks;
    std::string_view words; // empty: the networks that have links read it
};

constexpr std::array setting_hint_table{
    SettingHint{"link.bandwidth", HintFor::loggops, "use --loggops G=..."},
    SettingHint{"network.bandwidth", HintFor::loggops, "use --loggops G=..."},
    SettingHint{"link.latency", HintFor::loggops, "use --loggops L=..."},
    SettingHint{"network.latency", HintFor::loggops, "use --loggops L=..."},
    SettingHint{"endpoint.", HintFor::loggops, "use --loggops o=... O=... S=..."},
    SettingHint{"smpi.", HintFor::loggops, "use --loggops o=... O=... S=..."},
    SettingHint{"link.", HintFor::loggops, {}},
    SettingHint{"uplink.", HintFor::loggops, {}},
    SettingHint{"core.", HintFor::loggops, {}},
    SettingHint{"backbone.", HintFor::loggops, {}},
    SettingHint{"limiter.", HintFor::loggops, {}},
    SettingHint{"loopback.", HintFor::loggops, {}},
    SettingHint{"topology.", HintFor::loggops, {}},
    SettingHint{"rails.", HintFor::loggops, {}},
    SettingHint{"node.", HintFor::any, {}},
    SettingHint{"loggops.", HintFor::with_links,
                "use link.latency, link.bandwidth and endpoint.*, or --network loggops"},
    SettingHint{"--loggops", HintFor::with_links,
                "use --set link.latency, link.bandwidth and endpoint.*, or --network loggops"},
    SettingHint{"--no-congestion", HintFor::any, "only --network flow reads it"},
};

bool holds_for(HintFor networks, NetworkKind kind) {
    switch (networks) {
    case HintFor::loggops: return kind == NetworkKind::loggops;
    case HintFor::with_links: return network_kind_row(kind).links;
    case HintFor::any: break;
    }
    return true;
}

// The network whose table of parameters has keys of this section.
std::string reader_of_section(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view section = name.substr(0, dot + 1);
    for (const NetworkKindRow* const row : network_kinds()) {
        for (const std::span<const Parameter> table : row->parameters()) {
            for (const Parameter& parameter : table) {
                if (parameter.key.starts_with(section)) return fmt::format("--network {} reads it", row->name);
            }
        }
    }
    return {};
}

// What depends on the workload, not on the network.
std::string workload_reason(std::string_view name, RunFacts::Workload workload) {
    const bool schedule = workload == RunFacts::Workload::schedule;
    const bool messages = workload == RunFacts::Workload::messages;
    if (messages && (name.starts_with("host.") || name.starts_with("endpoint.")))
        return "not used: nothing but messages is simulated, no computation and no call of MPI";
    if (name.starts_with("host.speed") || name == "host.counts") {
        return schedule ? "not used by schedules, which hold the time of each computation"
                        : "not used: computation takes the time that was measured; --reference-speed scales it";
    }
    if (name == "host.cores" && schedule) return "not used by schedules, whose ranks each have a CPU";
    const bool collectives =
        name == "--collective" || name.starts_with("collectives.") || name == "smpi.coll-selector";
    if (collectives)
        return schedule ? "not used: a schedule holds the messages of its collectives"
                        : "not used: the workload calls no collective";
    return {};
}

} // namespace

std::string unread_reason(std::string_view name, NetworkKind kind, RunFacts::Workload workload) {
    if (std::string reason = workload_reason(name, workload); !reason.empty()) return reason;
    const std::string unused = fmt::format("not used by --network {}", network_kind_row(kind).name);
    const bool placement = name == "--hostfile" || name == "--map-by";
    if (placement && kind == NetworkKind::loggops)
        return fmt::format("{}; LogGOPS has no hosts; --network {} has", unused, networks_with_links());
    for (const SettingHint& hint : setting_hint_table) {
        if (!name.starts_with(hint.begins) || !holds_for(hint.networks, kind)) continue;
        return hint.words.empty() ? fmt::format("{}; --network {} reads it", unused, networks_with_links())
                                  : fmt::format("{}; {}", unused, hint.words);
    }
    const std::string reader = reader_of_section(name);
    return reader.empty() ? unused : fmt::format("{}; {}", unused, reader);
}

std::string accepted_reason(std::string_view key) {
    for (const Parameter& row : simulation_parameters()) {
        if (row.key == key && row.meaning.find("accepted") != std::string_view::npos)
            return "accepted for SimGrid's files; it has no effect here";
    }
    return {};
}

} // namespace orrery
