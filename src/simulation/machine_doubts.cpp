#include "simulation/machine_doubts.h"

#include "engine/plural.h"
#include "machine/provenance.h"
#include "simulation/unused_settings.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

// The links of the platform count, rather than parameters that somebody has said.
bool reads_links(const Simulation& simulation) {
    switch (simulation.network_kind()) {
    case NetworkKind::loggops:
        return simulation.loggops_origin() == Simulation::LogGOPSOrigin::derived_from_links;
    case NetworkKind::ideal: return false;
    default: return true;
    }
}

bool counts_for_run(const AssumedValue& value, const Simulation& simulation, const RunFacts& facts) {
    if (value.key.starts_with("link.")) return reads_links(simulation);
    if (value.key == "host.speed") return facts.host_speeds;
    if (value.key == "host.cores") return !facts.hosts.empty();
    return true;
}

std::string provenance_doubt(const Simulation& simulation, const RunFacts& facts) {
    const Machine& machine = simulation.machine();
    if (machine.file.empty()) return {};
    const Provenance provenance = provenance_of(machine);
    std::string assumed;
    for (const AssumedValue& each : provenance.assumed) {
        if (counts_for_run(each, simulation, facts))
            assumed += fmt::format("{}{} {}", assumed.empty() ? "" : ", ", each.key, each.value);
    }
    if (!assumed.empty()) {
        return fmt::format("uncalibrated: nobody measured {}; set the values with --set or in {}, or measure "
                           "them with 'orrery calibrate'",
                           assumed, machine.file);
    }
    // A SimGrid platform has no place to say it.
    const bool toml = machine.file.ends_with(".toml");
    if (!toml || provenance.stated) return {};
    return fmt::format("uncalibrated: {} does not say where its values come from; name it in [provenance] "
                       "source = \"...\", or measure them with 'orrery calibrate'",
                       machine.file);
}

std::string speed_doubt(const Simulation& simulation, const RunFacts& facts) {
    if (facts.recorded_speed) {
        return facts.workload == RunFacts::Workload::program
                   ? "computation runs at the speed of this computer: --reference-speed scales it to host.speed"
                   : "computation runs at the speed of the computer that recorded the trace: set host.speed "
                     "(--set host.speed=2Gflop/s for cores twice as fast)";
    }
    const Settings& hardware = simulation.machine().hardware;
    if (!facts.host_speeds || !simulation.machine().file.ends_with(".toml") ||
        hardware.find("host.speed") != nullptr || hardware.find("host.speed_by_burst") != nullptr)
        return {};
    constexpr double default_speed = 1e9;
    const bool assumed = std::any_of(facts.hosts.begin(), facts.hosts.end(), [&](HostId host) {
        return simulation.platform().host(host).speed == default_speed;
    });
    return assumed ? "uncalibrated: the machine does not say the speed of its cores, 1 Gflop/s is assumed: set "
                     "host.speed"
                   : "";
}

std::string loggops_doubt(const Simulation& simulation) {
    const bool defaults = simulation.network_kind() == NetworkKind::loggops &&
                          simulation.loggops_origin() == Simulation::LogGOPSOrigin::default_values;
    return defaults ? "uncalibrated: no machine was named, and these LogGOPS parameters are of none: give --on "
                      "MACHINE or --loggops \"L=... o=... g=... G=...\""
                    : "";
}

// "1.95", "2,048"
std::string ratio_words(double ratio) {
    return ratio < 1000 ? fmt::format("{:.3g}", ratio) : format_count(static_cast<std::uint64_t>(ratio));
}

std::string crowded_schedule(const Simulation& simulation, const RunFacts& facts) {
    const std::uint32_t ranks = facts.ranks;
    const Platform& platform = simulation.platform();
    std::uint64_t cores = 0;
    if (facts.hosts.empty()) {
        for (const Host& host : platform.hosts()) cores += host.cores;
        if (ranks <= cores) return {};
        return fmt::format(
            "more ranks than cores: {}, but {} has {}. LogGOPS lets each rank compute alone on a "
            "host; on this machine computation takes at least {} times as long",
            plural(ranks, "rank"), simulation.machine().name, plural(cores, "core"),
            ratio_words(static_cast<double>(ranks) / static_cast<double>(cores)));
    }
    std::vector<std::uint32_t> on(platform.host_count());
    double most = 1;
    for (const HostId host : facts.hosts)
        most = std::max(most, static_cast<double>(++on[host.index()]) / platform.host(host).cores);
    if (most <= 1) return {};
    return fmt::format("more ranks than cores: up to {:.3g} ranks for each core of a host. Ranks of a schedule "
                       "compute as if alone; on this machine computation takes up to {:.3g} times as long",
                       most, most);
}

// Two ranks of the run sit on one host.
bool shares_hosts(const RunFacts& facts) {
    std::vector<HostId> hosts = facts.hosts;
    std::sort(hosts.begin(), hosts.end());
    return std::adjacent_find(hosts.begin(), hosts.end()) != hosts.end();
}

// Models of others say themselves what passes within a host.
bool is_compatible(const Settings& settings) {
    return settings.word("flow.set", "fabric") != "fabric" ||
           settings.word("endpoint.set", "orrery") != "orrery";
}

std::string node_doubt(const Simulation& simulation, const RunFacts& facts) {
    const Machine& machine = simulation.machine();
    if (!network_kind_row(simulation.network_kind()).links || simulation.network().node() ||
        !machine.file.ends_with(".toml") || is_compatible(machine.settings) || !shares_hosts(facts))
        return {};
    if (facts.prediction != nullptr && facts.prediction->base.messages == 0) return {};
    for (const std::string_view key : {"loopback.bandwidth", "loopback.latency", "loopback.sharing"}) {
        if (machine.hardware.find(key) != nullptr) return {};
    }
    return "uncalibrated: the machine does not say what messages within a host cost: each takes 10 GB/s, "
           "however "
           "many there are; set node.memory_bandwidth, which they share";
}

} // namespace

std::string crowded_cores(const Simulation& simulation, const RunFacts& facts) {
    if (simulation.machine().platform == nullptr) return {};
    if (facts.schedule()) return crowded_schedule(simulation, facts);
    const Platform& platform = simulation.platform();
    std::vector<std::uint32_t> on(platform.host_count());
    for (const HostId host : facts.hosts) ++on[host.index()];
    std::uint64_t hosts = 0;
    std::uint64_t ranks = 0;
    std::uint64_t cores = 0;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < on.size(); ++i) {
        if (on[i] <= platform.host({i}).cores) continue;
        ++hosts;
        ranks += on[i];
        cores += platform.host({i}).cores;
        last = i;
    }
    if (hosts == 0) return {};
    const std::string where = hosts == 1 ? platform.topology().host_name({last}) : plural(hosts, "host");
    const double all = facts.prediction->base.time.seconds() * facts.ranks;
    const double cost = all > 0 ? 100 * facts.prediction->core_wait_seconds / all : 0;
    return fmt::format(
        "more ranks than cores: {} share {} of {} and take turns, which costs {:.1f} % of the time "
        "of all ranks",
        plural(ranks, "rank"), plural(cores, "core"), where, cost);
}

std::vector<std::string> machine_doubts(const Simulation& simulation, const RunFacts& facts) {
    std::vector<std::string> out;
    for (const std::string& each :
         {provenance_doubt(simulation, facts), loggops_doubt(simulation), speed_doubt(simulation, facts),
          node_doubt(simulation, facts), crowded_cores(simulation, facts)}) {
        if (!each.empty()) out.push_back(each);
    }
    return out;
}

std::optional<PredictionError> known_error(const SimulationText& text, const Simulation& simulation) {
    const std::optional<MachineValidation> validation = validation_of(simulation.machine());
    if (!validation) return std::nullopt;
    if (!validation->network.empty() && parse_network(validation->network) != simulation.network_kind())
        return std::nullopt;
    std::string source =
        fmt::format("largest error of {}, validated {}", plural(validation->programs, "program"),
                    validation->date.empty() ? "on this machine" : validation->date);
    if (!text.settings.empty()) source += " without --set";
    return PredictionError{validation->error, source};
}

std::string calibration_note(const Simulation& simulation) {
    const Provenance provenance = provenance_of(simulation.machine());
    if (!provenance.message_error || validation_of(simulation.machine())) return {};
    return fmt::format(
        "message times were calibrated to {:.1f} %{}; 'orrery validate --store' measures the error "
        "of programs",
        100 * *provenance.message_error, provenance.date.empty() ? std::string() : " on " + provenance.date);
}

std::vector<std::string> doubts_of(const SimulationText& text, const Simulation& simulation,
                                   const RunFacts& facts) {
    std::vector<std::string> out = unused_settings(text, simulation, facts);
    for (std::string& each : machine_doubts(simulation, facts)) out.push_back(std::move(each));
    return out;
}

void add_doubts(const SimulationText& text, const Simulation& simulation, const RunFacts& facts,
                Prediction& prediction) {
    for (std::string& each : doubts_of(text, simulation, facts)) prediction.warnings.push_back(std::move(each));
    prediction.error = known_error(text, simulation);
}

} // namespace orrery
