#include "simulation/dimemas.h"

#include "engine/error.h"
#include "engine/units.h"
#include "observe/event_path.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace orrery {

namespace {

constexpr std::array dimemas_table{
    Parameter{"dimemas.rendezvous_from", "bytes", "unlimited",
              "messages of at least this size wait for their receive (Dimemas: -S)"},
    Parameter{"dimemas.asynchronous_sends", "yes or no", "no",
              "sends that the trace calls synchronous do not wait for their receive (Dimemas: -F)"},
    Parameter{"dimemas.latency", "time", "",
              "latency between nodes, instead of the machine's (Dimemas: --latency)"},
    Parameter{"dimemas.bandwidth", "bandwidth", "",
              "bandwidth between nodes, instead of the machine's (Dimemas: --bandwidth)"},
};

void apply(const Settings& settings, dimemas::Configuration& machine, dimemas::SimulationOptions& options) {
    const std::array<std::span<const Parameter>, 1> tables{dimemas_parameters()};
    settings.check_known(tables);
    options.rendezvous_from = settings.bytes("dimemas.rendezvous_from", ~Bytes{0});
    options.asynchronous_sends = settings.flag("dimemas.asynchronous_sends", false);
    if (settings.find("dimemas.latency") != nullptr) {
        const Time latency = settings.time("dimemas.latency", Time::zero());
        for (dimemas::Node& node : machine.nodes) node.latency = latency;
    }
    if (settings.find("dimemas.bandwidth") != nullptr) {
        const double bandwidth = settings.bandwidth("dimemas.bandwidth", 0);
        for (dimemas::Cluster& cluster : machine.clusters)
            cluster.ps_per_byte = bandwidth > 0 ? 1e12 / bandwidth : 0;
    }
}

std::string count_words(std::uint32_t count, std::string_view what) {
    return count == 0 ? fmt::format("endless {}es", what)
                      : fmt::format("{} {}{}", count, what, count == 1 ? "" : "es");
}

std::string dimemas_send_words(const dimemas::SimulationOptions& options) {
    const bool by_trace = !options.asynchronous_sends;
    if (options.rendezvous_from == ~Bytes{0})
        return by_trace ? "messages eager unless the trace says rendezvous" : "all messages eager";
    return fmt::format("rendezvous from {}{}", format_bytes(options.rendezvous_from),
                       by_trace ? " and where the trace says so" : ", whatever the trace says");
}

std::string network_words(const dimemas::Configuration& machine) {
    const dimemas::Cluster& cluster = machine.clusters.front();
    return fmt::format(
        "dimemas, {}, latency {}, {}{}",
        cluster.ps_per_byte > 0 ? format_bandwidth(1e12 / cluster.ps_per_byte) : "endless bandwidth",
        format_time(machine.nodes.front().latency), count_words(cluster.buses, "bus"),
        machine.clusters.size() == 1 ? "" : fmt::format("; {} clusters in all", machine.clusters.size()));
}

// The same nodes, joined by a network that costs nothing.
dimemas::Configuration ideal(dimemas::Configuration machine) {
    machine.context_switch = Time::zero();
    for (dimemas::Node& node : machine.nodes) {
        node.latency = node.intra_latency = node.wan_latency = Time::zero();
        node.intra_ps_per_byte = 0;
        node.intra_buses = 0;
        node.links = node.intra = {};
    }
    for (dimemas::Cluster& cluster : machine.clusters) {
        cluster.ps_per_byte = 0;
        cluster.buses = 0;
    }
    machine.wan_ps_per_byte = 0;
    machine.flight.clear();
    machine.connections.clear();
    return machine;
}

// What a message or collective has waited for.
std::string resource_words(const dimemas::Configuration& machine, const EventLog& log, EventCause what,
                           const LoggedEvent& waited) {
    const std::uint32_t from = log.hosts[waited.rank].value;
    const std::uint32_t to = log.hosts[waited.peer].value;
    const std::uint32_t here = machine.nodes[from].machine;
    const std::uint32_t there = machine.nodes[to].machine;
    const bool message = waited.kind == EventKind::transfer;
    if (what == EventCause::bus) {
        if (message && from == to) return fmt::format("memory buses of node {}", from);
        return machine.clusters.size() == 1 ? "buses" : fmt::format("buses of cluster {}", here);
    }
    const bool output = what == EventCause::output_link;
    const char* const way = output ? "output" : "input";
    if (!message) return fmt::format("clusters' {}", way);
    if (from == to) return fmt::format("tasks in node {}: {}", from, way);
    if (here != there) return fmt::format("cluster {} {}", output ? here : there, way);
    return fmt::format("node {} {}", output ? from : to, way);
}

} // namespace

bool asks_for_dimemas(const SimulationText& text) {
    const bool machine = !text.machine.empty() && dimemas::looks_like_configuration(text.machine);
    if (text.model == "dimemas") {
        if (!text.network.empty())
            throw UsageError("--model dimemas has a network of its own: leave out --network");
        if (!machine)
            throw UsageError(text.machine.empty()
                                 ? std::string("--model dimemas needs a machine: --on FILE.cfg")
                                 : fmt::format("--model dimemas needs a Dimemas machine (.cfg), and {} is none",
                                               text.machine));
    } else if (machine && (!text.network.empty() || !text.model.empty())) {
        throw UsageError(
            fmt::format("{} is a Dimemas machine, which has no topology: it goes with --model dimemas "
                        "only",
                        text.machine));
    }
    if (!machine) return false;
    const std::array<std::pair<std::string_view, bool>, 6> others{{
        {"--hostfile", !text.hostfile.empty()},
        {"--map-by", !text.map_by.empty()},
        {"--collective", !text.collectives.empty()},
        {"--loggops", !text.loggops.empty()},
        {"--start-skew", !text.start_skew.empty()},
        {"--rendezvous", !text.rendezvous.empty()},
    }};
    for (const auto& [option, given] : others) {
        if (given)
            throw UsageError(fmt::format("{} does not go with --model dimemas: the .cfg says all", option));
    }
    return true;
}

std::span<const Parameter> dimemas_parameters() { return dimemas_table; }

DimemasSimulation::DimemasSimulation(const SimulationText& text)
    : machine_(dimemas::read_configuration(text.machine)) {
    for (const std::string& setting : text.settings) settings_.set_from_option(setting);
    apply(settings_, machine_, options_);
}

std::vector<std::string> DimemasSimulation::node_names(const dimemas::DimFile& trace) const {
    const std::vector<std::uint32_t> nodes = dimemas::place_tasks(machine_, trace.tasks());
    std::vector<std::string> names;
    for (std::uint32_t task = 0; task < trace.tasks(); ++task)
        names.insert(names.end(), trace.threads(task), fmt::format("node {}", nodes[task]));
    return names;
}

ReplayPrediction DimemasSimulation::run(const dimemas::DimFile& trace,
                                        const Simulation::Watchers& watchers) const {
    dimemas::SimulationOptions options = options_;
    options.noise = watchers.noise;
    options.observer = watchers.observer;
    options.progress = watchers.progress;
    std::optional<EventLog> own;
    EventLog* events = watchers.events;
    if (events == nullptr && watchers.critical_path != nullptr) events = &own.emplace();
    options.events = events;
    ReplayPrediction prediction = dimemas::simulate(trace, machine_, options);
    if (watchers.critical_path != nullptr) {
        EventPathContext context;
        context.resource_name = [&](EventCause what, const LoggedEvent& waited) {
            return resource_words(machine_, *events, what, waited);
        };
        *watchers.critical_path = event_path(*events, context);
    }
    prediction.efficiencies = efficiencies_of(prediction, Time::zero());
    if ((options.observer != nullptr || events != nullptr) && trace.threads() != trace.tasks())
        prediction.notes.emplace_back(
            "timelines, events and the critical path count the threads of all tasks as ranks");
    return prediction;
}

Time DimemasSimulation::run_ideal(const dimemas::DimFile& trace) const {
    return dimemas::simulate(trace, ideal(machine_), options_).base.time;
}

ReplayContext DimemasSimulation::context(const dimemas::DimFile& trace) const {
    std::vector<std::uint32_t> used = dimemas::place_tasks(machine_, trace.tasks());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    ReplayContext context;
    context.machine = machine_.file;
    context.mapping =
        fmt::format("{} tasks on {} of {} nodes, {}", format_count(trace.tasks()), format_count(used.size()),
                    format_count(machine_.nodes.size()), machine_.placement.words());
    context.network_name = "dimemas";
    context.network = network_words(machine_);
    for (const auto& [key, setting] : settings_.all())
        context.run.machine.push_back({key, setting.value, origin_words(setting)});
    context.endpoint = dimemas_send_words(options_);
    context.collectives = "the closed forms of the machine";
    context.validity = "dimemas: links and buses are held by one message at a time; no topology; "
                       "collectives by closed forms";
    return context;
}

} // namespace orrery
