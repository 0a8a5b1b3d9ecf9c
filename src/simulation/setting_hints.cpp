#include "simulation/setting_hints.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr unsigned network_bit(NetworkKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned on_loggops = network_bit(NetworkKind::loggops);
constexpr unsigned on_links =
    network_bit(NetworkKind::flow) | network_bit(NetworkKind::packet) | network_bit(NetworkKind::kpacket);
constexpr unsigned on_ideal = network_bit(NetworkKind::ideal);
constexpr unsigned on_any = on_loggops | on_links | on_ideal;

// The first row whose `begins` the name begins with, for this network.
struct SettingHint {
    std::string_view begins;
    unsigned networks;
    std::string_view words;
};

constexpr std::array setting_hint_table{
    SettingHint{"link.bandwidth", on_loggops, "use --loggops G=..."},
    SettingHint{"network.bandwidth", on_loggops, "use --loggops G=..."},
    SettingHint{"link.latency", on_loggops, "use --loggops L=..."},
    SettingHint{"network.latency", on_loggops, "use --loggops L=..."},
    SettingHint{"endpoint.", on_loggops, "use --loggops o=... O=... S=..."},
    SettingHint{"smpi.", on_loggops, "use --loggops o=... O=... S=..."},
    SettingHint{"link.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"uplink.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"core.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"backbone.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"limiter.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"loopback.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"topology.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"rails.", on_loggops, "--network flow, packet or kpacket reads it"},
    SettingHint{"loggops.", on_links, "use link.latency, link.bandwidth and endpoint.*, or --network loggops"},
    SettingHint{"--loggops", on_links,
                "use --set link.latency, link.bandwidth and endpoint.*, or --network loggops"},
    SettingHint{"--rendezvous", on_links, "use --set endpoint.handshake=yes or no"},
    SettingHint{"--hostfile", on_loggops, "LogGOPS has no hosts; --network flow, packet or kpacket has"},
    SettingHint{"--map-by", on_loggops, "LogGOPS has no hosts; --network flow, packet or kpacket has"},
    SettingHint{"--no-congestion", on_any, "only --network flow reads it"},
    SettingHint{"flow.", on_any, "--network flow reads it"},
    SettingHint{"network.", on_any, "--network flow reads it"},
    SettingHint{"packet.", on_any, "--network packet reads it"},
    SettingHint{"routing.", on_any, "--network packet reads it"},
    SettingHint{"kpacket.", on_any, "--network kpacket reads it"},
};

constexpr std::array<std::string_view, 5> network_words_of_kind{"loggops", "flow", "packet", "kpacket",
                                                                "ideal"};

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
    std::string words =
        fmt::format("not used by --network {}", network_words_of_kind[static_cast<std::size_t>(kind)]);
    for (const SettingHint& hint : setting_hint_table) {
        if (name.starts_with(hint.begins) && (hint.networks & network_bit(kind)) != 0)
            return fmt::format("{}; {}", words, hint.words);
    }
    return words;
}

std::string accepted_reason(std::string_view key) {
    for (const Parameter& row : scenario_parameters()) {
        if (row.key == key && row.meaning.find("accepted") != std::string_view::npos)
            return "accepted for SimGrid's files; it has no effect here";
    }
    return {};
}

} // namespace orrery
