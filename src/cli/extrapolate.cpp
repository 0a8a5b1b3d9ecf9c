// `orrery extrapolate`: a trace for as many ranks as it has, or for a multiple of them.
#include "cli/extrapolate_trace.h"
#include "cli/inputs.h"
#include "cli/schedule_progress.h"
#include "cli/simulate_options.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "cli/write_schedule.h"
#include "engine/error.h"
#include "engine/units.h"
#include "formats/allprof/trace.h"
#include "formats/allprof/trace_files.h"
#include "formats/formats.h"
#include "formats/trace.h"
#include "workload/extrapolation/multiples.h"

#include <cstdio>
#include <filesystem>
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
    std::string to;
    std::string speed;
    std::vector<Option> of_simulation; // options that mean nothing when the result is only written
    std::vector<Option> of_liballprof; // that mean something for its traces only
    std::vector<Option> of_actions;    // for all other traces only
    std::vector<Option> of_writing;    // with -o only
};

AllprofOptions options_of(const ExtrapolateArguments& arguments) {
    AllprofOptions options = arguments.options;
    for (const std::string& assignment : arguments.collectives) options.collective_algorithms.set(assignment);
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
    check_extrapolated_ranks(trace.ranks(), total);
    return static_cast<std::uint32_t>(total);
}

void refuse_given(const std::vector<Option>& options, const std::string& why) {
    for (const Option& option : options) {
        if (option.given()) throw UsageError(fmt::format("{} {}", option.name(), why));
    }
}

// A file that is no trace at all, before it is taken for one of liballprof whose other files are missing.
void refuse_other_files(const std::string& path) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none) || looks_like_allprof(path)) return;
    if (std::filesystem::path(path).filename().string().starts_with("lap2-"))
        return; // has a message of its own
    bool schedule = false;
    try {
        schedule = detect_format(path) != ScheduleFormat::goal_text || path.ends_with(".goal");
    } catch (const InputError&) { // nothing that we know
    }
    throw InputError(Error{
        path, 0, 0,
        schedule
            ? "a schedule cannot be extrapolated: its collectives are single messages already. Extrapolate "
              "the trace that it was made of"
            : "not a trace: expected what 'orrery trace' or 'orrery run --trace' wrote (.ort), a "
              "time-independent trace (text or .oti), one of Dimemas or Paraver, or one of liballprof"});
}

void extrapolate_liballprof(const ExtrapolateArguments& arguments) {
    refuse_given(arguments.of_actions, "is not for traces of liballprof");
    const AllprofOptions options = options_of(arguments);
    if (arguments.output.empty()) {
        check_simulate_arguments(arguments.simulate);
        (void)Simulation(arguments.simulate.simulation, false);
    }
    const AllprofTrace trace = AllprofTrace::open(arguments.trace, options);
    const std::uint32_t total = total_of(arguments, trace);
    if (!quiet()) {
        fmt::print(stderr, "{}\n", trace.summary().headline());
        for (const std::string& note : trace.summary().notes()) fmt::print(stderr, "  {}\n", note);
        for (const std::string& note : extrapolation_assumptions(trace.ranks(), total))
            fmt::print(stderr, "  {}\n", note);
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

void extrapolate(const ExtrapolateArguments& arguments) {
    if (arguments.output.empty()) {
        refuse_given(arguments.of_writing, "goes with -o: it says how the result is written");
    } else {
        refuse_options(arguments.of_simulation);
    }
    expect_inputs(std::span(&arguments.trace, 1));
    if (!looks_like_ti(arguments.trace)) {
        refuse_other_files(arguments.trace);
        return extrapolate_liballprof(arguments);
    }
    refuse_given(arguments.of_liballprof, "is for traces of liballprof only");
    extrapolate_trace({arguments.trace, arguments.ranks, arguments.output, arguments.to, arguments.speed,
                       arguments.collectives, arguments.options.allow_truncated, arguments.simulate});
}

} // namespace

void add_extrapolate(const Verb& app) {
    const auto arguments = std::make_shared<ExtrapolateArguments>();
    const Verb verb = app.add_subcommand(
        "extrapolate", "Simulate a trace on more ranks than it was recorded with, or write it. "
                       "Weak scaling: point-to-point messages are copied and renamed to the new "
                       "ranks, collectives over all ranks are rebuilt");
    verb.group("Predict");
    verb.add_option(
            "trace", arguments->trace,
            "Trace that 'orrery trace' or 'orrery run --trace' wrote, time-independent trace (text, .oti), or "
            "one of Dimemas, Paraver or liballprof: a file or a directory")
        .type_name("TRACE")
        .required();
    verb.add_option(
            "-n,--ranks,--np", arguments->ranks,
            "Number of ranks: a multiple of those in the trace (4096, 4k). As in the trace if not given")
        .type_name("RANKS");
    verb.add_option("-o,--output", arguments->output,
                    "Write it instead of simulating it: a trace (.ort, .oti, .txt, a directory with a / at its "
                    "end) or a schedule "
                    "(.goal, .bin, .orr); of liballprof a schedule; - is the standard output")
        .type_name("FILE");
    arguments->of_writing.push_back(
        verb.add_option("--to", arguments->to, "Format of the output, if its name does not say; as in convert")
            .type_name("FORMAT")
            .advanced());
    arguments->of_writing.push_back(
        verb.add_option("--speed", arguments->speed,
                        "Speed of computations when a schedule is written, such as 2.5Ginstr/s; as in convert")
            .type_name("RATE")
            .advanced());
    arguments->of_actions = arguments->of_writing;

    const char* const program = "Program";
    verb.add_option("--collective,--collectives", arguments->collectives,
                    "How collectives become messages, as in 'orrery replay': openmpi, mpich, or allreduce=ring "
                    "for one; a "
                    "trace of liballprof takes those of LogGOPSim (loggopsim) unless told; may be repeated")
        .type_name("CHOICE")
        .one_each_time()
        .group(program)
        .advanced();
    verb.add_flag("--allow-truncated", arguments->options.allow_truncated,
                  "Read a trace that ends before MPI_Finalize as far as it goes")
        .group("Reading the trace")
        .advanced();
    const char* const liballprof = "Traces of liballprof only";
    const std::size_t for_all = verb.options().size();
    verb.add_option(
            "--collectives-early,--nbcify", arguments->early,
            "Start blocking collectives this much earlier, in parallel with the computation before them")
        .type_name("TIME")
        .group(liballprof)
        .advanced();
    verb.add_flag("--no-p2p", arguments->no_p2p, "Count sends, receives and waits as computing time")
        .group(liballprof)
        .advanced();
    verb.add_flag("--no-collectives", arguments->no_collectives, "Count collectives as computing time")
        .group(liballprof)
        .advanced();
    verb.add_option("--start", arguments->options.skip_collectives,
                    "Begin after this number of collectives over all ranks")
        .group(liballprof)
        .advanced();
    verb.add_option("--first", arguments->options.max_collectives,
                    "End after this number of collectives over all ranks (counted from --start)")
        .group(liballprof)
        .advanced();
    verb.add_option("--compute-scale", arguments->options.compute_scale,
                    "Multiply computing times: 0.5 for a processor twice as fast")
        .group(liballprof)
        .advanced();
    verb.add_option("--compute-cpu", arguments->options.compute_cpu,
                    "Compute on this CPU of each rank; CPU 0 handles the messages")
        .group(liballprof)
        .advanced();

    verb.add_flag("--skip-unsupported", arguments->options.skip_unsupported,
                  "Leave out the calls that cannot be represented, and list them")
        .group(liballprof)
        .advanced();
    verb.add_option(
            "--mpi", arguments->library,
            "MPI library of the traced run: openmpi, mpich or detect. They differ in the numbers for any "
            "source and no process, and in the size of requests")
        .type_name("MPI")
        .completes({"detect", "openmpi", "mpich"})
        .show_default()
        .group(liballprof)
        .advanced();
    verb.add_option("--request-bytes", arguments->options.request_bytes,
                    "Size of an MPI_Request, 4 or 8, if it is not detected correctly")
        .group(liballprof)
        .advanced();
    const std::vector<Option> before_simulation = verb.options();
    for (const Option& option : std::span(before_simulation).subspan(for_all))
        arguments->of_liballprof.push_back(option);
    const std::size_t own = before_simulation.size();
    add_simulate_options(verb, arguments->simulate);
    const std::vector<Option> all = verb.options();
    for (const Option& option : std::span(all).subspan(own)) {
        if (option.name() != "--quiet" && option.name() != "--verbose")
            arguments->of_simulation.push_back(option);
    }
    verb.examples({"orrery extrapolate heat.trace -n 256 --on ndr-fat-tree",
                   "orrery extrapolate heat.ort -n 1k -o heat-1024.oti",
                   "orrery extrapolate examples/sweep3d/trace -n 4096 --on odin",
                   "orrery extrapolate examples/sweep3d/trace -n 64 -o sweep3d-64.orr"});
    verb.callback([arguments] { extrapolate(*arguments); });
}

} // namespace orrery::cli
