#include "cli/replay_dimemas.h"

#include "cli/progress_bar.h"
#include "cli/timeline_options.h"
#include "cli/unused_options.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "engine/mapped_inputs.h"
#include "formats/dimemas_trace.h"
#include "observe/event_path.h"
#include "observe/paraver/mpi_trace.h"
#include "observe/replay_timeline.h"
#include "simulation/dimemas.h"

#include <fmt/format.h>
#include <optional>

namespace orrery::cli {

namespace {

// As the settings that they are short for.
SimulationText with_dimemas_sends(SimulationText simulation, const DimemasSends& sends) {
    if (!sends.rendezvous_from.empty())
        simulation.settings.push_back("dimemas.rendezvous_from=" + sends.rendezvous_from);
    if (sends.asynchronous) simulation.settings.emplace_back("dimemas.asynchronous_sends=yes");
    return simulation;
}

void add_timelines(ReplayTimelines& timelines, const std::vector<std::string>& nodes, const std::string& what,
                   const SimulateArguments& arguments) {
    const auto ranks = static_cast<std::uint32_t>(nodes.size());
    for (const std::string& path : arguments.timelines)
        timelines.add(make_replay_timeline(path, ranks, svg_options(what, arguments)));
    if (!arguments.paraver.empty()) timelines.add(make_paraver_timeline(arguments.paraver, {{ranks}, nodes}));
}

} // namespace

void add_dimemas_options(const Verb& verb, DimemasSends& sends) {
    const char* const group = "Model of Dimemas (x.dim --on x.cfg)";
    verb.add_option("-S,--rendezvous-from", sends.rendezvous_from,
                    "Messages of at least this size wait for their receive, as with Dimemas' -S (32KiB)")
        .type_name("SIZE")
        .group(group)
        .advanced();
    verb.add_flag("-F,--asynchronous-sends", sends.asynchronous,
                  "No send waits because the trace calls it synchronous, as with Dimemas' -F")
        .group(group)
        .advanced();
}

bool replay_dimemas(const std::string& input, const DimemasSends& sends, const SimulateArguments& arguments) {
    if (!asks_for_dimemas(arguments.simulation)) {
        if (!sends.rendezvous_from.empty())
            throw UsageError(
                "--rendezvous-from (-S) is for the model of Dimemas, x.dim --on x.cfg; elsewhere the "
                "machine says it: --set endpoint.eager_limit=..., --loggops \"S=...\"");
        if (sends.asynchronous)
            throw UsageError("--asynchronous-sends (-F) is for the model of Dimemas, x.dim --on x.cfg");
        return false;
    }
    if (!looks_like_dimemas(input))
        throw UsageError(
            fmt::format("--model dimemas replays Dimemas (.dim) and Paraver (.prv) traces: make one with "
                        "orrery convert {} x.dim",
                        input));
    if (!arguments.paraver_network.empty())
        throw UsageError("--paraver-network shows packets in switches: the model of Dimemas has none");
    const DimemasTrace trace = DimemasTrace::open(input);
    const DimemasSimulation simulation(with_dimemas_sends(arguments.simulation, sends));
    ReplayTimelines timelines;
    add_timelines(timelines, simulation.node_names(trace.file()), input, arguments);
    ProgressBar bar(0, 0, !quiet());
    const std::unique_ptr<Noise> noise = noise_of(arguments);
    Simulation::Watchers watchers;
    watchers.noise = noise.get();
    watchers.observer = timelines.empty() ? nullptr : &timelines;
    EventPath path;
    watchers.critical_path = arguments.critical_path ? &path : nullptr;
    std::optional<EventLog> events;
    if (wants_events(arguments)) watchers.events = &events.emplace();
    watchers.progress = [&bar](std::uint64_t done, Time now) { bar.show(done, now); };
    ReplayPrediction prediction = simulation.run(trace.file(), watchers);
    timelines.finish(prediction.base.time);
    if (arguments.efficiencies)
        prediction.efficiencies = efficiencies_of(prediction, simulation.run_ideal(trace.file()));
    bar.wipe();
    for (const std::string& note : trace.notes()) prediction.notes.push_back(note);
    refuse_changed_inputs();
    for (std::string& each : unused_options(arguments, NetworkKind::flow)) // which has links, too
        prediction.base.warnings.push_back(std::move(each));
    ReplayContext context = simulation.context(trace.file());
    context.what = input;
    context.per_rank = arguments.per_rank;
    if (noise) context.noise = noise->describe();
    context.ideal_option = "--efficiencies";
    context.all_links = arguments.links;
    context.critical_path = watchers.critical_path;
    print_prediction(prediction, context, arguments, {nullptr, watchers.events});
    return true;
}

} // namespace orrery::cli
