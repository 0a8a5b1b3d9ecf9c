// `orrery extrapolate`: a trace of liballprof as a schedule for as many ranks, or for a multiple of them.
#include "cli/schedule_progress.h"
#include "cli/simulate_options.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "cli/write_schedule.h"
#include "engine/error.h"
#include "engine/units.h"
#include "workload/allprof/trace.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery::cli {

namespace {

struct ExtrapolateArguments {
    std::string trace;
    std::string ranks;
    std::string output;
    std::vector<std::string> collectives;
    std::string early;
    bool no_p2p = false;
    bool no_collectives = false;
    std::string library = "detect";
    AllprofOptions options;
    SimulateArguments simulate;
    std::vector<Option> of_simulation; // options that mean nothing when the schedule is only written
};

AllprofOptions options_of(const ExtrapolateArguments& arguments) {
    AllprofOptions options = arguments.options;
    for (const std::string& assignment : arguments.collectives) options.algorithms.set(assignment);
    if (!arguments.early.empty()) options.collectives_early = parse_time(arguments.early);
    options.point_to_point = !arguments.no_p2p;
    options.collectives = !arguments.no_collectives;
    if (arguments.library == "openmpi") {
        options.library = MpiLibrary::open_mpi;
    } else if (arguments.library == "mpich") {
        options.library = MpiLibrary::mpich;
    } else if (arguments.library != "detect") {
        throw UsageError(fmt::format("--mpi {}: expected openmpi, mpich or detect", arguments.library));
    }
    return options;
}

std::uint32_t total_of(const ExtrapolateArguments& arguments, const AllprofTrace& trace) {
    const std::uint64_t total = arguments.ranks.empty() ? trace.ranks() : parse_count(arguments.ranks);
    if (total > max_ranks) throw UsageError(fmt::format("-n {}: at most {} ranks", arguments.ranks, max_ranks));
    trace.check_total(static_cast<std::uint32_t>(total));
    return static_cast<std::uint32_t>(total);
}

void extrapolate(const ExtrapolateArguments& arguments) {
    const AllprofOptions options = options_of(arguments);
    if (arguments.output.empty()) {
        check_simulate_arguments(arguments.simulate);
        (void)Scenario(arguments.simulate.scenario, false);
    } else {
        refuse_options(arguments.of_simulation);
    }
    const AllprofTrace trace = AllprofTrace::open(arguments.trace, options);
    const std::uint32_t total = total_of(arguments, trace);
    if (!quiet()) {
        fmt::print(stderr, "{}\n", trace.summary().headline());
        for (const std::string& note : trace.summary().notes()) fmt::print(stderr, "  {}\n", note);
    }
    if (!arguments.output.empty()) {
        write_schedule(arguments.output, [&](ScheduleSink& sink) { generate(trace, total, sink); });
        return;
    }
    const std::string what = total == trace.ranks()
                                 ? arguments.trace
                                 : fmt::format("{}, extrapolated from {} ranks to {}", arguments.trace,
                                               format_count(trace.ranks()), format_count(total));
    ScheduleBuilder builder(what);
    ScheduleProgress progress(builder);
    generate(trace, total, progress);
    run_and_report(builder.take(), what, arguments.simulate);
}

std::string algorithm_help() {
    std::string text =
        "Algorithm for a collective, such as bcast=binary; may be given several times. The first is "
        "the default:";
    Collective last = Collective::exscan;
    for (const CollectiveRow& row : collective_algorithms()) {
        const bool same = row.collective == last && text.back() != ':';
        text +=
            same ? fmt::format(", {}", row.name) : fmt::format("\n  {}={}", name_of(row.collective), row.name);
        last = row.collective;
    }
    return text;
}

} // namespace

void add_extrapolate(const Verb& app) {
    const auto arguments = std::make_shared<ExtrapolateArguments>();
    const Verb verb =
        app.add_subcommand("extrapolate", "Extrapolate a liballprof trace to more ranks, and simulate it");
    verb.group("Predict");
    verb.add_option("trace", arguments->trace, "Folder with one file for each rank, or the file of rank 0")
        .type_name("TRACE")
        .required();
    verb.add_option("-n,--ranks,--np", arguments->ranks,
                    "Number of ranks: a multiple of those in the trace; otherwise as in the trace")
        .type_name("RANKS");
    verb.add_option("-o,--output", arguments->output,
                    "Write the schedule (.goal, .bin, .orr; - is the standard output) instead of simulating it")
        .type_name("FILE");

    const char* const program = "Program";
    verb.add_option("--collective", arguments->collectives, algorithm_help())
        .type_name("CHOICE")
        .one_each_time()
        .group(program)
        .advanced();
    verb.add_option("--compute-scale", arguments->options.compute_scale,
                    "Multiply computing times: 0.5 for a processor twice as fast")
        .group(program);
    verb.add_option(
            "--collectives-early,--nbcify", arguments->early,
            "Start blocking collectives this much earlier, in parallel with the computation before them")
        .type_name("TIME")
        .group(program)
        .advanced();
    verb.add_flag("--no-p2p", arguments->no_p2p, "Count sends, receives and waits as computing time")
        .group(program)
        .advanced();
    verb.add_flag("--no-collectives", arguments->no_collectives, "Count collectives as computing time")
        .group(program)
        .advanced();
    verb.add_option("--start", arguments->options.skip_collectives,
                    "Begin after this number of collectives over all ranks")
        .group(program)
        .advanced();
    verb.add_option("--first", arguments->options.max_collectives,
                    "End after this number of collectives over all ranks (counted from --start)")
        .group(program)
        .advanced();
    verb.add_option("--compute-cpu", arguments->options.compute_cpu,
                    "Compute on this CPU of each rank; CPU 0 handles the messages")
        .group(program)
        .advanced();

    const char* const reading = "Reading the trace";
    verb.add_flag("--skip-unsupported", arguments->options.skip_unsupported,
                  "Leave out the calls that cannot be represented, and list them")
        .group(reading)
        .advanced();
    verb.add_flag("--allow-truncated", arguments->options.allow_truncated,
                  "Accept a trace that ends before MPI_Finalize")
        .group(reading)
        .advanced();
    verb.add_option(
            "--mpi", arguments->library,
            "MPI library of the traced run: openmpi, mpich or detect. They differ in the numbers for any "
            "source and no process, and in the size of requests")
        .type_name("MPI")
        .completes({"detect", "openmpi", "mpich"})
        .show_default()
        .group(reading)
        .advanced();
    verb.add_option("--request-bytes", arguments->options.request_bytes,
                    "Size of an MPI_Request, 4 or 8, if it is not detected correctly")
        .group(reading)
        .advanced();
    const std::size_t own = verb.options().size();
    add_simulate_options(verb, arguments->simulate, SimulatesWhat::schedule);
    const std::vector<Option> all = verb.options();
    for (const Option& option : std::span(all).subspan(own)) {
        if (option.name() != "--quiet" && option.name() != "--verbose")
            arguments->of_simulation.push_back(option);
    }
    verb.examples(
        {"orrery extrapolate examples/sweep3d/trace -n 4096 --on odin",
         "orrery extrapolate examples/sweep3d/trace -n 64 -o sweep3d-64.orr",
         "orrery extrapolate examples/sweep3d/trace -n 1k --collective allreduce=ring --on odin --json"});
    verb.callback([arguments] { extrapolate(*arguments); });
}

} // namespace orrery::cli
