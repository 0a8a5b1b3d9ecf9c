// orrery replay: simulate a schedule or traces.
#include "cli/inputs.h"
#include "cli/replay_dimemas.h"
#include "cli/run_directory.h"
#include "cli/simulate_options.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "formats/allprof/trace.h"
#include "formats/allprof/trace_files.h"
#include "formats/formats.h"
#include "formats/trace.h"
#include "workload/patterns/options.h"

#include <fmt/format.h>
#include <memory>

namespace orrery::cli {

namespace {

struct ReplayArguments {
    std::vector<std::string> inputs;
    std::vector<std::string> starts;    // of the inputs, in the same order
    std::vector<std::string> hostfiles; // one for all, or one per input
    std::string ranks;
    bool allow_truncated = false;
    DimemasSends dimemas_sends;
    SimulateArguments simulate;
};

Schedule load_trace(const std::string& path) {
    const AllprofTrace trace = AllprofTrace::open(path);
    ScheduleBuilder builder(path);
    generate(trace, trace.ranks(), builder);
    if (!quiet()) {
        for (const std::string& note : trace.summary().notes()) fmt::print(stderr, "  {}\n", note);
    }
    return builder.take();
}

void replay_traces(const ReplayArguments& arguments) {
    TiOptions options;
    if (!arguments.ranks.empty()) options.same_for_all = parse_ranks(arguments.ranks);
    options.allow_truncated = arguments.allow_truncated;
    std::vector<TiTrace> traces;
    for (const std::string& input : arguments.inputs) {
        traces.push_back(TiTrace::open(input, options));
        explain("{}: {}, {}", input, traces.back().format(), plural(traces.back().ranks(), "rank"));
    }
    if (arguments.starts.size() > traces.size()) throw UsageError("more --start times than traces");
    if (arguments.hostfiles.size() > 1 && arguments.hostfiles.size() != traces.size())
        throw UsageError("give one --hostfile for all traces, or one for each");
    const auto open = [&] {
        std::vector<Simulation::Job> jobs;
        for (std::size_t i = 0; i < traces.size(); ++i) {
            Simulation::Job& job = jobs.emplace_back();
            job.actions = traces[i].source();
            job.cpu_time_rate = traces[i].cpu_time_rate();
            if (i < arguments.starts.size()) job.start = parse_time(arguments.starts[i]);
            if (arguments.hostfiles.size() > 1) job.hostfile = arguments.hostfiles[i];
        }
        return jobs;
    };
    const auto notes = [&] {
        std::vector<std::string> all;
        for (const TiTrace& trace : traces) {
            for (std::string& note : trace.notes()) all.push_back(std::move(note));
        }
        return all;
    };
    SimulateArguments simulate = arguments.simulate;
    if (arguments.hostfiles.size() == 1) simulate.simulation.hostfile = arguments.hostfiles.front();
    run_and_report(open, fmt::format("{}", fmt::join(arguments.inputs, ", ")), notes, simulate);
}

void replay_verb(ReplayArguments& arguments) {
    for (const std::string& each : arguments.inputs) arguments.simulate.inputs.push_back({"workload", each});
    if (arguments.hostfiles.size() > 1) {
        for (const std::string& each : arguments.hostfiles)
            arguments.simulate.inputs.push_back({"hostfile", each});
    }
    check_simulate_arguments(arguments.simulate);
    expect_inputs(arguments.inputs);
    const std::string& input = arguments.inputs.front();
    if (arguments.inputs.size() == 1 && replay_dimemas(input, arguments.dimemas_sends, arguments.simulate))
        return;
    if (looks_like_ti(input)) return replay_traces(arguments);
    if (arguments.inputs.size() > 1 || !arguments.starts.empty())
        throw UsageError("several inputs and --start are for time-independent traces");
    if (arguments.allow_truncated) throw UsageError("--allow-truncated is for recorded traces");
    if (!arguments.simulate.simulation.collectives.empty())
        throw UsageError("--collective is for time-independent traces; a schedule holds its messages already");
    SimulateArguments simulate = arguments.simulate;
    if (!arguments.hostfiles.empty()) simulate.simulation.hostfile = arguments.hostfiles.front();
    (void)Simulation(simulate.simulation, false); // its mistakes should be said before a long load
    const bool allprof = looks_like_allprof(input);
    explain("reading {}: {}", input, allprof ? "a trace of liballprof" : "a schedule");
    const Schedule schedule = allprof ? load_trace(input) : load_schedule(input);
    if (!arguments.ranks.empty() && parse_ranks(arguments.ranks) != schedule.ranks())
        throw UsageError(fmt::format("-n {}: {} has {}; without -n it is replayed as it is", arguments.ranks,
                                     input, plural(schedule.ranks(), "rank")));
    run_and_report(schedule, input, simulate);
}

} // namespace

void add_replay(const Verb& app) {
    const auto arguments = std::make_shared<ReplayArguments>();
    const Verb verb =
        app.add_subcommand("replay", "Simulate a trace or a schedule on a machine: how long it takes, and why");
    verb.group("Predict");
    verb.add_option(
            "input", arguments->inputs,
            "Traces: a folder with a file for each rank, one file for all ranks, .oti, .ort, .dim, .prv, "
            "or of liballprof. Or a schedule: .goal, .bin, .orr. Several traces run at once")
        .type_name("TRACE")
        .required();
    verb.add_option(
            "-n,--ranks,--np,--same-for-all", arguments->ranks,
            "Number of ranks (also -np). A trace of one file without rank numbers: all of them follow it. "
            "Any other trace: a check")
        .type_name("RANKS");
    add_simulate_options(verb, arguments->simulate);
    add_run_directory_options(verb, arguments->simulate);
    add_dimemas_options(verb, arguments->dimemas_sends);
    add_collective_option(verb, arguments->simulate.simulation.collectives);
    verb.remove_option("--hostfile");
    verb.add_option(
            "--hostfile", arguments->hostfiles,
            "The hosts to use: lines of 'name', 'name:4' or 'name slots=4'; with several traces one for "
            "all, or one for each")
        .type_name("FILE")
        .one_each_time()
        .group("Machine")
        .advanced();
    verb.add_option("--start", arguments->starts, "When each of several traces starts, in their order")
        .type_name("TIME")
        .one_each_time()
        .advanced();
    verb.add_flag("--allow-truncated", arguments->allow_truncated,
                  "Accept a recorded trace that was cut off; ranks may then wait for what is missing")
        .advanced();
    verb.examples(
        {"orrery replay heat.trace --on stampede --map-by roundrobin",
         "orrery replay broadcast.goal --on odin --critical-path --timeline broadcast.svg",
         "orrery replay lu.oti --on stampede --collective mpich --links --timeline lu.paje",
         "orrery replay traces/ --on graphene --hostfile hosts -o run1",
         "orrery replay a.oti b.oti --on stampede --start 0 --start 2s",
         "orrery replay trace.txt --on platform.xml --hostfile hosts --model smpi-compat --json --per-rank",
         "orrery replay broadcast.goal --loggops \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\"",
         "orrery replay app.dim --on marenostrum.cfg          as Dimemas itself would",
         "orrery replay app.dim --on stampede"});
    verb.callback([arguments] { replay_verb(*arguments); });
}

} // namespace orrery::cli
