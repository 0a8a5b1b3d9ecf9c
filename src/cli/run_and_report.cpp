// The end of every verb that simulates: the run, the words or JSON on the standard output, and the files asked
// for.
#include "cli/progress_bar.h"
#include "cli/run_directory.h"
#include "cli/run_timelines.h"
#include "cli/simulate_options.h"
#include "cli/timeline_options.h"
#include "cli/unused_options.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "engine/mapped_inputs.h"
#include "engine/plural.h"
#include "engine/terminal.h"
#include "engine/units.h"
#include "observe/critical_path.h"
#include "observe/event_path.h"
#include "observe/event_table.h"
#include "observe/json_text.h"
#include "observe/paraver/network_map.h"
#include "observe/paraver/network_trace.h"
#include "observe/recorded_events.h"
#include "observe/recorded_replay.h"
#include "observe/replay_csv.h"
#include "observe/replay_report.h"
#include "simulation/machine_doubts.h"
#include "tools/mapping/map_by_messages.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace orrery::cli {

namespace {

void print_per_rank(const ReplayPrediction& prediction) {
    fmt::print("{:>8} {:>16}", "rank", "finish");
    for (const char* const name : call_kind_names) fmt::print(" {:>16}", name);
    fmt::print("\n");
    for (std::size_t rank = 0; rank < prediction.calls.size(); ++rank) {
        fmt::print("{:>8} {:>16}", rank, format_time(prediction.base.ranks[rank].finish));
        for (const Time part : prediction.calls[rank].by_kind) fmt::print(" {:>16}", format_time(part));
        fmt::print("\n");
    }
}

std::string held(const Schedule& schedule) {
    const char* where = !schedule.mapped_from_file() ? "in memory"
                        : schedule.crowded()
                            ? "mapped: too large for memory, so pages come and go as ranks advance"
                            : "mapped from its file";
    const auto operations = static_cast<double>(std::max<std::uint64_t>(schedule.operations(), 1));
    return fmt::format("{}, {}; {:.2g} bytes per operation, {} distinct rank program{}",
                       format_bytes(schedule.bytes()), where,
                       static_cast<double>(schedule.bytes()) / operations,
                       format_count(schedule.header().blocks), schedule.header().blocks == 1 ? "" : "s");
}

// What keeps ranks from running as they should, in words: OS noise, a skew of their starts.
std::string disturbances(const Simulation& simulation, const Noise* noise) {
    std::string words = noise != nullptr ? noise->describe() : std::string();
    const std::string skew = simulation.skew().describe();
    return words.empty() || skew.empty() ? words + skew : words + "; " + skew;
}

// What the user should doubt, or has said in vain.
void add_warnings(const SimulateArguments& arguments, const Simulation& simulation, const RunFacts& facts,
                  Prediction& prediction) {
    refuse_changed_inputs();
    for (std::string& each : unused_options(arguments, simulation.network_kind()))
        prediction.warnings.push_back(std::move(each));
    add_doubts(arguments.simulation, simulation, facts, prediction);
}

// Lines of at most 120 columns; shorter ones on a narrow terminal.
SummaryStyle summary_style() {
    SummaryStyle style;
    style.width = std::min(style.width, terminal_width(stdout, style.width));
    style.colour = shows_colour(stdout);
    return style;
}

// What the report says of the run that the simulation does not know.
ReplayContext report_context(ReplayContext context, const std::string& what, const Simulation& simulation,
                             const Noise* noise, const SimulateArguments& arguments) {
    context.what = what;
    context.noise = disturbances(simulation, noise);
    context.ideal_option = "--efficiencies";
    context.per_rank = arguments.per_rank;
    context.all_links = arguments.links;
    context.style = summary_style();
    return context;
}

void report_traces(ReplayPrediction& prediction, const std::string& what, const Simulation& simulation,
                   const Noise* noise, const SimulateArguments& arguments, const EventPath* path,
                   const EventLog* events, const std::string& computation = "") {
    if (std::string note = calibration_note(simulation); !note.empty())
        prediction.notes.push_back(std::move(note));
    ReplayContext context =
        report_context(simulation.context(static_cast<std::uint32_t>(prediction.calls.size()), true), what,
                       simulation, noise, arguments);
    if (!computation.empty()) context.validity += "; " + computation;
    context.critical_path = path;
    print_prediction(prediction, context, arguments, {nullptr, events});
}

std::unique_ptr<ParaverNetworkTrace> paraver_network(const Simulation& simulation,
                                                     const SimulateArguments& arguments) {
    if (arguments.paraver_network.empty()) return nullptr;
    const Fabric* const fabric = simulation.network().fabric();
    if (simulation.network_kind() != NetworkKind::packet)
        throw UsageError("--paraver-network shows packets in switches: it needs --network packet");
    if (fabric == nullptr)
        throw UsageError("--paraver-network shows one network: this machine has several rails");
    return std::make_unique<ParaverNetworkTrace>(arguments.paraver_network, network_map(*fabric),
                                                 parse_bytes(arguments.paraver_quantum));
}

void explain_simulation(const Simulation& simulation) {
    explain("machine {} from {}", simulation.machine().name, simulation.machine().file);
    explain("network {}", simulation.network_words());
    if (simulation.machine().platform)
        explain("{}, {}", plural(simulation.platform().host_count(), "host"),
                plural(simulation.platform().link_count(), "link"));
    explain("collectives as {}", name_of(simulation.collectives().selector()));
}

} // namespace

void print_prediction(const ReplayPrediction& prediction, const ReplayContext& context,
                      const SimulateArguments& arguments, const RunDetails& details) {
    const CriticalPath* const path = details.path;
    for (const std::string& table : arguments.tables) {
        if (is_event_table(table)) {
            write_events(*details.events, table);
        } else {
            write_replay_csv(prediction, table);
        }
    }
    ReplayContext full = context;
    if (arguments.json || !arguments.output.empty()) full.run = completed(std::move(full.run), arguments);
    if (!arguments.output.empty()) write_run_directory(prediction, full, details, arguments);
    if (arguments.json) {
        nlohmann::json json = to_json(prediction, full);
        if (path != nullptr) json["critical_path"] = *path;
        fmt::print("{}\n", json_text(json));
        return;
    }
    if (quiet() && !prediction.notes.empty()) {
        ReplayPrediction bare = prediction;
        bare.notes.clear();
        fmt::print("{}", summary(bare, context));
    } else {
        fmt::print("{}", summary(prediction, context));
    }
    if (context.critical_path != nullptr) fmt::print("{}", summary(*context.critical_path, context.style));
    if (path != nullptr) fmt::print("{}", summary(*path, context.style));
    for (const std::string& file : arguments.timelines) fmt::print("  timeline        {}\n", file);
    for (const std::string& file : {arguments.paraver, arguments.paraver_network}) {
        if (!file.empty()) fmt::print("  paraver         {}\n", file);
    }
    for (const std::string& file : arguments.tables) fmt::print("  table           {}\n", file);
    if (!arguments.output.empty()) fmt::print("  run directory   {}\n", arguments.output);
    if (arguments.per_rank) print_per_rank(prediction);
}

void run_and_report(const Schedule& schedule, const std::string& what, const SimulateArguments& arguments) {
    Simulation simulation(arguments.simulation, false);
    explain_simulation(simulation);
    if (arguments.simulation.map_by == "metis" && !simulation.fast_path())
        simulation.place_at(map_by_messages(simulation, arguments.simulation.hostfile, schedule));
    const std::unique_ptr<Noise> noise = noise_of(arguments);
    const std::unique_ptr<ParaverNetworkTrace> packets = paraver_network(simulation, arguments);
    ProgressBar bar(schedule.operations(), schedule.operations() + schedule.sends(), !quiet());
    const bool fast = simulation.fast_path();
    ReplayTimelines timelines;
    if (wants_timelines(arguments))
        add_timelines(timelines, simulation, cast_of(simulation, schedule), fast, what, arguments);
    Recording recording;   // of the fast path
    EventPath events_path; // of all others
    std::optional<EventLog> events;
    if (wants_events(arguments)) events.emplace();
    const bool draw = std::any_of(arguments.timelines.begin(), arguments.timelines.end(), drawn_from_recording);
    const bool record = fast && (arguments.critical_path || draw || events || !timelines.empty());
    const Simulation::Watchers watchers{noise.get(),
                                        timelines.empty() ? nullptr : &timelines,
                                        packets.get(),
                                        [&bar](std::uint64_t done, Time now) { bar.show(done, now); },
                                        arguments.critical_path && !fast ? &events_path : nullptr,
                                        record ? &recording : nullptr,
                                        events ? &*events : nullptr};
    ReplayPrediction prediction = simulation.run(schedule, watchers);
    if (record && !timelines.empty()) tell(recording, simulation.loggops(), timelines);
    if (record && events) log_events(recording, simulation.loggops(), *events);
    timelines.finish(prediction.base.time);
    if (packets) packets->finish(prediction.base.time);
    if (arguments.efficiencies)
        prediction.efficiencies = efficiencies_of(prediction, simulation.run_ideal(schedule));
    bar.wipe();
    add_warnings(arguments, simulation, facts_of(simulation, schedule.ranks(), prediction), prediction.base);
    if (std::string note = calibration_note(simulation); !note.empty())
        prediction.notes.push_back(std::move(note));
    std::optional<CriticalPath> path;
    if (fast && (arguments.critical_path || draw)) path = critical_path(recording, simulation.loggops());
    if (fast && draw) draw_timelines(recording, simulation.loggops(), *path, what, arguments);
    ReplayContext context =
        report_context(simulation.context(schedule.ranks(), false), what, simulation, noise.get(), arguments);
    context.schedule = held(schedule);
    context.critical_path = watchers.critical_path;
    print_prediction(prediction, context, arguments,
                     {arguments.critical_path && path ? &*path : nullptr, events ? &*events : nullptr});
}

void run_and_report(const OpenJobs& open, const std::string& what, const Notes& notes,
                    const SimulateArguments& arguments) {
    Simulation simulation(arguments.simulation, true);
    explain_simulation(simulation);
    if (arguments.simulation.map_by == "metis")
        simulation.place_at(map_by_messages(simulation, arguments.simulation.hostfile, open));
    const std::unique_ptr<Noise> noise = noise_of(arguments);
    const std::vector<Simulation::Job> jobs = open();
    ProgressBar bar(0, 0, !quiet());
    ReplayTimelines timelines;
    if (wants_timelines(arguments))
        add_timelines(timelines, simulation, cast_of(simulation, jobs), false, what, arguments);
    const std::unique_ptr<ParaverNetworkTrace> packets = paraver_network(simulation, arguments);
    EventPath path;
    std::optional<EventLog> events;
    if (wants_events(arguments)) events.emplace();
    const Simulation::Watchers watchers{noise.get(),
                                        timelines.empty() ? nullptr : &timelines,
                                        packets.get(),
                                        [&bar](std::uint64_t done, Time now) { bar.show(done, now); },
                                        arguments.critical_path ? &path : nullptr,
                                        nullptr,
                                        events ? &*events : nullptr};
    ReplayPrediction prediction = simulation.run(jobs, watchers);
    for (const std::string& note : notes()) prediction.notes.push_back(note);
    timelines.finish(prediction.base.time);
    if (packets) packets->finish(prediction.base.time);
    if (arguments.efficiencies)
        prediction.efficiencies = efficiencies_of(prediction, simulation.run_ideal(open()));
    bar.wipe();
    add_warnings(arguments, simulation, facts_of(simulation, jobs, prediction), prediction.base);
    report_traces(prediction, what, simulation, noise.get(), arguments, watchers.critical_path,
                  watchers.events);
}

void run_and_report(const RunProgram& run, std::uint32_t ranks, const std::string& what,
                    const std::string& computation, const SimulateArguments& arguments) {
    if (arguments.simulation.map_by == "metis")
        throw UsageError("--map-by metis goes by the messages of a trace: write one with --trace x.ort, then "
                         "'orrery replay x.ort --map-by metis'");
    const Simulation simulation(arguments.simulation, true);
    explain_simulation(simulation);
    const std::unique_ptr<Noise> noise = noise_of(arguments);
    ReplayTimelines timelines;
    if (wants_timelines(arguments))
        add_timelines(timelines, simulation, cast_of(simulation, ranks), false, what, arguments);
    const std::unique_ptr<ParaverNetworkTrace> packets = paraver_network(simulation, arguments);
    ProgressBar bar(0, 0, !quiet());
    EventPath path;
    std::optional<EventLog> events;
    if (wants_events(arguments)) events.emplace();
    const Simulation::Watchers watchers{noise.get(),
                                        timelines.empty() ? nullptr : &timelines,
                                        packets.get(),
                                        [&bar](std::uint64_t done, Time now) { bar.show(done, now); },
                                        arguments.critical_path ? &path : nullptr,
                                        nullptr,
                                        events ? &*events : nullptr};
    ProgramRun result;
    ReplayPrediction prediction = simulation.run(
        [&](Network& network, const ReplayOptions& options) {
            const SharedTerminal terminal(bar);
            result = run(simulation, network, options);
            return std::move(result.prediction);
        },
        watchers);
    timelines.finish(prediction.base.time);
    if (packets) packets->finish(prediction.base.time);
    if (arguments.efficiencies)
        prediction.efficiencies = efficiencies_of(prediction, simulation.run_ideal(result.actions));
    bar.wipe();
    RunFacts facts;
    facts.workload = RunFacts::Workload::program;
    facts.ranks = ranks;
    facts.hosts = simulation.map(ranks);
    facts.host_speeds = result.scaled;
    // A machine that was calibrated here computes as fast as this computer.
    facts.recorded_speed = result.measured && !simulation.machine().computes_as_recorded();
    facts.prediction = &prediction;
    add_warnings(arguments, simulation, facts, prediction.base);
    report_traces(prediction, what, simulation, noise.get(), arguments, watchers.critical_path, watchers.events,
                  computation);
}

} // namespace orrery::cli
