#include "cli/replay_dimemas.h"

#include "cli/progress_bar.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "study/dimemas.h"
#include "workload/dimemas/trace.h"

#include <fmt/format.h>

namespace orrery::cli {

bool replay_dimemas(const std::string& input, const SimulateArguments& arguments) {
    if (!asks_for_dimemas(arguments.scenario)) return false;
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
    DimemasAnswer answer = run_dimemas(trace.file(), arguments.scenario,
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
