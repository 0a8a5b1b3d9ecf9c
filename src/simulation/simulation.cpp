#include "simulation/simulation.h"
#include "formats/load_machine.h"

#include "drivers/graph/schedule_driver.h"
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "engine/too_long.h"
#include "engine/units.h"
#include "machine/machine_file.h"
#include "machine/mapping.h"
#include "machine/routing/routing.h"
#include "network/ideal_network.h"
#include "observe/event_path.h"
#include "simulation/loggops_result.h"
#include "simulation/schedule_profile.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace orrery {

namespace {

// The words of --model that stand for a whole set of settings.
struct Compatibility {
    std::string_view model;
    std::string_view flow_set;
};
constexpr std::array<Compatibility, 3> compatible{{
    {"smpi-compat", "smpi"},
    {"cm02-compat", "cm02"},
    {"lv08-compat", "lv08"},
}};

constexpr std::array simulation_table{
    Parameter{"collectives.selector", "word", "openmpi",
              "whose choice of collective algorithms: see 'orrery collectives'"},
    Parameter{"network.model", "word", "", "SimGrid's name of flow.set: SMPI, CM02 or LV08"},
    Parameter{"smpi.coll-selector", "word", "",
              "SimGrid's name of collectives.selector: default, ompi, mpich, ..."},
    Parameter{"surf.precision", "seconds", "", "SimGrid's; accepted: times are exact here"},
    Parameter{"precision.timing", "seconds", "", "SimGrid's; accepted: times are exact here"},
    Parameter{"maxmin.precision", "factor", "", "SimGrid's; accepted: see flow.precision"},
    Parameter{"precision.work-amount", "factor", "", "SimGrid's; accepted: see flow.precision"},
};

const Compatibility* find_compatible(std::string_view model) {
    const auto found = std::find_if(compatible.begin(), compatible.end(),
                                    [&](const Compatibility& each) { return each.model == model; });
    return found == compatible.end() ? nullptr : &*found;
}

bool has_section(const Settings& settings, std::string_view prefix) {
    const auto at = settings.all().lower_bound(prefix);
    return at != settings.all().end() && at->first.starts_with(prefix);
}

// LogGOPS parameters that a platform amounts to: the route between two distant hosts, the endpoint's costs.
LogGOPS derive(const Platform& platform, const EndpointParameters& endpoint) {
    LogGOPS derived;
    std::vector<LinkId> route;
    platform.route(HostId{0}, HostId{platform.host_count() / 2}, route);
    derived.L = Time::zero();
    double slowest = 0; // ps per byte
    for (const LinkId link : route) {
        add_latency(derived.L, platform.link(link).latency);
        slowest = std::max(slowest, 1e12 / platform.link(link).bandwidth);
    }
    derived.o = endpoint.send_cost(1);
    derived.O = endpoint.send_overhead.empty() ? 0 : endpoint.send_overhead.pieces().front().per_byte;
    derived.g = derived.o;
    derived.G = slowest;
    derived.S = endpoint.eager_below == unlimited ? unlimited
                                                  : endpoint.eager_below - (endpoint.eager_below > 0 ? 1 : 0);
    derived.rendezvous = endpoint.handshake ? Rendezvous::handshake : Rendezvous::sender_waits;
    return derived;
}

void take(NetworkReport report, ReplayPrediction& prediction) {
    prediction.busiest = std::move(report.busiest);
    prediction.packets = std::move(report.packets);
    prediction.crossed = std::move(report.crossed);
    for (std::string& note : report.notes) prediction.notes.push_back(std::move(note));
}

} // namespace

std::span<const Parameter> simulation_parameters() { return simulation_table; }

Simulation::Simulation(const SimulationText& text, bool traces)
    : skew_(StartSkew::parse(text.start_skew, text.seed)), hostfile_(text.hostfile), map_by_(text.map_by),
      model_(text.model) {
    const Compatibility* const compat = find_compatible(text.model);
    const std::span<const std::string_view> loggops_family = loggops_models();
    const bool family =
        std::find(loggops_family.begin(), loggops_family.end(), text.model) != loggops_family.end();
    if (!text.model.empty() && compat == nullptr && !family) {
        std::vector<std::string_view> words(loggops_family.begin(), loggops_family.end());
        for (const Compatibility& each : compatible) words.push_back(each.model);
        const std::string near = nearest_word(text.model, words);
        throw UsageError(fmt::format("--model {}: expected one of {}{}", text.model, fmt::join(words, ", "),
                                     near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    if (!text.machine.empty()) {
        std::vector<std::string> overrides = text.settings;
        if (compat != nullptr) overrides.insert(overrides.begin(), "topology.simgrid_quirks=yes");
        machine_ = load_machine(text.machine, overrides);
    } else {
        for (const std::string& setting : text.settings) machine_.settings.set_from_option(setting);
    }
    if (compat != nullptr) {
        machine_.settings.set("flow.set", std::string(compat->flow_set), "--model");
        machine_.settings.set("endpoint.set", "smpi", "--model");
        if (machine_.settings.find("collectives.selector") == nullptr)
            machine_.settings.set("collectives.selector", "smpi-default", "--model");
        string_order_ = true;
    }
    const bool handshake = text.rendezvous == "handshake";
    if (!text.rendezvous.empty()) {
        if (!handshake && text.rendezvous != "sender-waits")
            throw UsageError(
                fmt::format("--rendezvous {}: expected sender-waits or handshake", text.rendezvous));
        machine_.settings.set("endpoint.handshake", handshake ? "yes" : "no", "--rendezvous");
    }
    read_settings(text);

    const bool topology = machine_.platform != nullptr;
    const bool only_loggops =
        has_section(machine_.settings, "loggops.") && !has_section(machine_.settings, "flow.");
    NetworkKind kind = NetworkKind::flow;
    if (!text.network.empty()) {
        kind = parse_network(text.network);
    } else if (compat != nullptr) {
        kind = NetworkKind::flow;
    } else {
        // A machine that is published as LogGOPS parameters, or none at all, is meant for that model.
        kind = !topology || only_loggops || family || !text.loggops.empty() ? NetworkKind::loggops
                                                                            : NetworkKind::flow;
    }
    if (family && kind != NetworkKind::loggops)
        throw UsageError(fmt::format("--model {} goes with --network loggops", text.model));
    if (compat != nullptr && kind != NetworkKind::flow)
        throw UsageError(fmt::format("--model {} goes with --network flow", text.model));
    if (!topology && (network_kind_row(kind).links || traces)) {
        throw UsageError(
            text.machine.empty()
                ? std::string("a machine is needed: --on NAME or --on FILE ('orrery machine list')")
                : fmt::format("--on {}: this machine has no topology; give one with [topology]", text.machine));
    }
    const bool loggops_said = has_section(machine_.settings, "loggops.") || !text.loggops.empty();
    if (topology && !loggops_said) {
        loggops_ = derive(*machine_.platform, endpoint_);
        loggops_origin_ = LogGOPSOrigin::derived_from_links;
    } else {
        if (!loggops_said) loggops_origin_ = LogGOPSOrigin::default_values;
        loggops_ = parse_loggops(text.loggops, read_loggops(machine_.settings));
    }
    if (family) loggops_ = restrict_to_model(loggops_, text.model);
    if (traces && loggops_.ties == Ties::loggopsim)
        throw UsageError(fmt::format(
            "--model {}: LogGOPSim simulates schedules; 'orrery convert' makes one of a trace", text.model));
    if (!text.rendezvous.empty())
        loggops_.rendezvous = handshake ? Rendezvous::handshake : Rendezvous::sender_waits;
    if (kind == NetworkKind::loggops) endpoint_ = endpoint_of(loggops_);
    network_ = SimulationNetwork(kind, {machine_, loggops_, text.congestion});
    check_mapping();
}

// What says where ranks run is checked also where nothing depends on it.
void Simulation::check_mapping() const {
    check_map_rule(map_by_);
    const std::string file = map_by_.starts_with("file:") ? map_by_.substr(5) : hostfile_;
    if (file.empty()) return;
    const std::string text = read_whole_file(file);
    if (machine_.platform && file == hostfile_) (void)parse_hostfile(text, file, *machine_.platform);
}

void Simulation::read_settings(const SimulationText& text) {
    Settings& settings = machine_.settings;
    // SimGrid's names of models and collectives, in its spelling.
    if (const Setting* const model = settings.find("network.model"); model != nullptr) {
        std::string set = model->value;
        std::transform(set.begin(), set.end(), set.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (set != "smpi" && set != "cm02" && set != "lv08")
            settings.complain("network.model", "expected SMPI, CM02 or LV08");
        settings.set("flow.set", set, model->file, model->line);
    }
    std::vector<std::string> keys;
    std::vector<Parameter> forced;
    for (std::size_t i = 0; i < collective_count; ++i)
        keys.push_back(fmt::format("smpi.{}", name_of(static_cast<Collective>(i))));
    for (const std::string& key : keys)
        forced.push_back({key, "word", "", "SimGrid's way to force an algorithm"});
    std::vector<std::span<const Parameter>> tables{endpoint_parameters(), node_parameters(),
                                                   simulation_parameters(), forced};
    for (const NetworkKindRow* const row : network_kinds()) {
        for (const std::span<const Parameter> table : row->parameters()) tables.push_back(table);
    }
    settings.check_known(tables);

    check_routing_settings(settings);
    endpoint_ = read_endpoint_parameters(settings);
    endpoint_settings_ = endpoint_;
    collectives_.set(settings.word("collectives.selector", "openmpi"));
    if (const std::string selector = settings.word("smpi.coll-selector", ""); !selector.empty())
        collectives_.set("smpi-" + selector);
    for (std::size_t i = 0; i < collective_count; ++i) {
        const Setting* const setting = settings.find(keys[i]);
        if (setting == nullptr) continue;
        const std::string_view name = name_of(static_cast<Collective>(i));
        constexpr std::array<std::string_view, 5> selectors{"default", "ompi", "mpich", "mvapich2", "impi"};
        if (std::find(selectors.begin(), selectors.end(), setting->value) != selectors.end()) {
            collectives_.set(fmt::format("{}=smpi-{}", name, setting->value));
            continue;
        }
        try {
            // Where SimGrid's replay of an algorithm differs from its run, a trace asks for the former.
            const std::string replayed = fmt::format("simgrid-replay:{}", setting->value);
            const bool differs = find_algorithm(static_cast<Collective>(i), replayed) != nullptr;
            collectives_.set(fmt::format("{}={}", name, differs ? replayed : "simgrid:" + setting->value));
        } catch (const UsageError&) {
            settings.complain(keys[i],
                              fmt::format("no algorithm of that name ('orrery collectives {}')", name));
        }
    }
    for (const std::string& word : text.collectives) collectives_.set(word);
}

std::vector<HostId> Simulation::map(std::uint32_t ranks) const {
    if (!placed_.empty() && placed_.size() == ranks) return placed_;
    MappingOptions options;
    options.hostfile = hostfile_;
    if (!map_by_.empty()) options.map_by = map_by_;
    options.simgrid_order = string_order_;
    return map_ranks(platform(), ranks, options);
}

std::string Simulation::mapping_words(std::uint32_t ranks) const {
    std::vector<HostId> used = map(ranks);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    const std::string how =
        !hostfile_.empty() ? hostfile_ : "by " + (map_by_.empty() ? std::string("block") : map_by_);
    return fmt::format("{} ranks on {} of {} hosts, {}", format_count(ranks), format_count(used.size()),
                       format_count(platform().host_count()), how);
}

std::string Simulation::validity() const { return network_.make()->validity(); }

std::vector<ReplayJob> Simulation::place(std::span<const Job> jobs) const {
    std::uint32_t total = 0;
    for (const Job& job : jobs) total += job.actions->ranks();
    const std::vector<HostId> hosts = map(total);
    std::vector<ReplayJob> placed;
    std::uint32_t first = 0;
    for (const Job& job : jobs) {
        const std::uint32_t ranks = job.actions->ranks();
        ReplayJob& each = placed.emplace_back();
        each.actions = job.actions.get();
        each.start = job.start;
        if (job.as_recorded || !machine_.rates_cpu_time()) each.rate = job.cpu_time_rate;
        if (job.hostfile.empty()) {
            each.hosts.assign(hosts.begin() + first, hosts.begin() + first + ranks);
        } else {
            MappingOptions options;
            options.hostfile = job.hostfile;
            if (!map_by_.empty()) options.map_by = map_by_;
            each.hosts = map_ranks(platform(), ranks, options);
        }
        first += ranks;
    }
    return placed;
}

std::vector<HostId> Simulation::hosts(std::span<const Job> jobs) const {
    std::vector<HostId> all;
    for (const ReplayJob& job : place(jobs)) all.insert(all.end(), job.hosts.begin(), job.hosts.end());
    return all;
}

ReplayPrediction Simulation::run(const Driver& driver, const Watchers& watchers) const {
    const std::unique_ptr<Network> network = network_.make(watchers.packets);
    std::optional<EventLog> own;
    EventLog* events = watchers.events;
    if (events == nullptr && watchers.critical_path != nullptr) events = &own.emplace();
    const ReplayOptions options{endpoint_,         collectives_, watchers.noise, watchers.observer,
                                watchers.progress, skew_,        events};
    ReplayPrediction prediction = driver(*network, options);
    if (watchers.critical_path != nullptr) {
        const bool loggops = network_kind() == NetworkKind::loggops;
        EventPathContext context{network.get(), loggops ? &loggops_ : nullptr, {}, nullptr};
        context.link_name = [this](std::uint32_t rail, LinkId link) { return network_.link_name(rail, link); };
        context.link_class = [this](std::uint32_t rail, LinkId link) {
            return network_.link_class(rail, link);
        };
        *watchers.critical_path = event_path(*events, context);
    }
    take(network->report(prediction.base.time), prediction);
    prediction.efficiencies = efficiencies_of(prediction, Time::zero());
    return prediction;
}

ReplayPrediction Simulation::run(std::span<const Job> jobs, const Watchers& watchers) const {
    return run([&](Network& network,
                   const ReplayOptions& options) { return replay(place(jobs), platform(), network, options); },
               watchers);
}

ReplayPrediction Simulation::run_fast(const Schedule& schedule, const Watchers& watchers) const {
    const SimulationOptions options{loggops_, watchers.noise, watchers.recording, watchers.progress, skew_};
    ReplayPrediction prediction = loggops_result(simulate(schedule, options), schedule, loggops_);
    prediction.efficiencies = efficiencies_of(prediction, Time::zero());
    return prediction;
}

ReplayPrediction Simulation::run(const Schedule& schedule, const Watchers& watchers) const {
    const Driver over_hosts = [&](Network& network, const ReplayOptions& options) {
        return replay(schedule, platform(), map(schedule.ranks()), network, options);
    };
    ReplayPrediction prediction = fast_path() ? run_fast(schedule, watchers) : run(over_hosts, watchers);
    // A schedule does not say which of its messages belong to collectives.
    prediction.point_to_point = prediction.base.messages;
    prediction.point_to_point_bytes = prediction.base.bytes;
    add_schedule_profile(prediction, schedule);
    return prediction;
}

// Same protocol, so that the same ranks wait for each other; no cost.
ReplayOptions Simulation::ideal_options() const {
    ReplayOptions options;
    options.endpoint.eager_below = endpoint_.eager_below;
    options.endpoint.flows_below = endpoint_.flows_below;
    options.endpoint.handshake = false;
    options.collectives = collectives_;
    options.skew = skew_;
    return options;
}

Time Simulation::run_ideal(std::span<const Job> jobs) const {
    IdealNetwork network;
    return replay(place(jobs), platform(), network, ideal_options()).base.time;
}

Time Simulation::run_ideal(const Schedule& schedule) const {
    if (!fast_path()) {
        IdealNetwork network;
        return replay(schedule, platform(), map(schedule.ranks()), network, ideal_options()).base.time;
    }
    SimulationOptions options;
    options.loggops = {Time::zero(), Time::zero(), Time::zero(), 0, 0, loggops_.S, Rendezvous::sender_waits};
    options.skew = skew_;
    return simulate(schedule, options).time;
}

ReplayContext Simulation::context(std::uint32_t ranks, bool traces) const {
    ReplayContext context;
    context.machine = machine_.name;
    if (traces || !fast_path()) context.mapping = mapping_words(ranks);
    context.network = network_words();
    context.network_name = network_kind_row(network_kind()).name;
    if (network_kind() == NetworkKind::loggops) context.loggops = loggops_;
    context.endpoint = describe(endpoint_);
    if (traces) context.collectives = name_of(collectives_.selector());
    context.validity = validity();
    for (const Settings* const settings : {&machine_.hardware, &machine_.settings}) {
        for (const auto& [key, setting] : settings->all())
            context.run.machine.push_back({key, setting.value, origin_words(setting)});
    }
    return context;
}

} // namespace orrery
