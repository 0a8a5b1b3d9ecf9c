#include "cli/replay_dimemas.h"

#include "cli/progress_bar.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "formats/dimemas_trace.h"
#include "simulation/dimemas.h"

#include <fmt/format.h>

namespace orrery::cli {

namespace {

// As the settings that they are short for.
SimulationText with_dimemas_sends(SimulationText simulation, const DimemasSends& sends) {
    if (!sends.rendezvous_from.empty())
        simulation.settings.push_back("dimemas.rendezvous_from=" + sends.rendezvous_from);
    if (sends.asynchronous) simulation.settings.emplace_back("dimemas.asynchronous_sends=yes");
    return simulation;
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
    if (!arguments.noise.empty() || !arguments.noise_file.empty() || arguments.critical_path ||
        arguments.efficiencies || !arguments.timelines.empty() || !arguments.paraver.empty() ||
        !arguments.paraver_network.empty())
        throw UsageError(
            "--noise, --critical-path, --efficiencies, --timeline and --paraver do not go with --model "
            "dimemas");
    const DimemasTrace trace = DimemasTrace::open(input);
    ProgressBar bar(0, 0, !quiet());
    DimemasAnswer answer = run_dimemas(trace.file(), with_dimemas_sends(arguments.simulation, sends),
                                       [&bar](std::uint64_t done, Time now) { bar.show(done, now); });
    bar.wipe();
    for (const std::string& note : trace.notes()) answer.prediction.notes.push_back(note);
    answer.context.what = input;
    answer.context.per_rank = arguments.per_rank;
    answer.context.all_links = arguments.links;
    print_prediction(answer.prediction, answer.context, arguments);
    return true;
}

} // namespace orrery::cli
