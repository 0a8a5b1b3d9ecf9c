// orrery replay: simulate a schedule or traces.
#include "cli/replay_dimemas.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/units.h"
#include "workload/allprof/trace.h"
#include "workload/allprof/trace_files.h"
#include "workload/formats.h"
#include "workload/ti/trace.h"

#include <fmt/format.h>
#include <memory>

namespace orrery::cli {

namespace {

struct ReplayArguments {
    std::vector<std::string> inputs;
    std::vector<std::string> starts;    // of the inputs, in the same order
    std::vector<std::string> hostfiles; // one for all, or one per input
    std::string same_for_all;           // ranks that all follow the one file
    bool allow_truncated = false;
    DimemasSends dimemas_sends;
    SimulateArguments simulate;
};

Schedule load_trace(const std::string& path) {
    const AllprofTrace trace = AllprofTrace::open(path);
    ScheduleBuilder builder(path);
    generate(trace, trace.ranks(), builder);
    for (const std::string& note : trace.summary().notes()) fmt::print(stderr, "  {}\n", note);
    return builder.take();
}

void replay_traces(const ReplayArguments& arguments) {
    TiOptions options;
    if (!arguments.same_for_all.empty())
        options.same_for_all = static_cast<std::uint32_t>(parse_count(arguments.same_for_all));
    options.allow_truncated = arguments.allow_truncated;
    std::vector<TiTrace> traces;
    for (const std::string& input : arguments.inputs) traces.push_back(TiTrace::open(input, options));
    if (arguments.starts.size() > traces.size()) throw UsageError("more --start times than traces");
    if (arguments.hostfiles.size() > 1 && arguments.hostfiles.size() != traces.size())
        throw UsageError("give one --hostfile for all traces, or one for each");
    const auto open = [&] {
        std::vector<Scenario::Job> jobs;
        for (std::size_t i = 0; i < traces.size(); ++i) {
            Scenario::Job& job = jobs.emplace_back();
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
    if (arguments.hostfiles.size() == 1) simulate.scenario.hostfile = arguments.hostfiles.front();
    run_and_report(open, fmt::format("{}", fmt::join(arguments.inputs, ", ")), notes, simulate);
}

void replay_verb(const ReplayArguments& arguments) {
    check_simulate_arguments(arguments.simulate);
    const std::string& input = arguments.inputs.front();
    if (arguments.inputs.size() == 1 && replay_dimemas(input, arguments.dimemas_sends, arguments.simulate))
        return;
    if (!arguments.same_for_all.empty() || looks_like_ti(input)) return replay_traces(arguments);
    if (arguments.inputs.size() > 1 || !arguments.starts.empty())
        throw UsageError("several inputs and --start are for time-independent traces");
    if (arguments.allow_truncated) throw UsageError("--allow-truncated is for recorded traces");
    if (!arguments.simulate.scenario.collectives.empty())
        throw UsageError("--collective is for time-independent traces; a schedule holds its messages already");
    SimulateArguments simulate = arguments.simulate;
    if (!arguments.hostfiles.empty()) simulate.scenario.hostfile = arguments.hostfiles.front();
    (void)Scenario(simulate.scenario, false); // what is wrong with it should be said before a long load
    run_and_report(looks_like_allprof(input) ? load_trace(input) : load_schedule(input), input, simulate);
}

} // namespace

void add_replay(const Verb& app) {
    const auto arguments = std::make_shared<ReplayArguments>();
    const Verb verb = app.add_subcommand("replay", "Simulate a schedule or a trace: predicted time, and why");
    verb.add_option(
            "input", arguments->inputs,
            "A time-independent trace: a directory with a file per rank, a list of such files, one file "
            "with the lines of all ranks, or our binary form (.oti); several run at once. Or a schedule: "
            "GOAL text (.goal), a LogGOPSim binary (.bin), our compact form (.orr). Or a trace of "
            "liballprof: its directory, or one of its files. Or a trace of Dimemas (.dim) or Paraver (.prv)")
        .required();
    verb.add_option("--start", arguments->starts, "When each of several traces starts, in their order (5s)")
        .one_each_time();
    verb.add_option("-n,--np,--same-for-all", arguments->same_for_all,
                    "The trace is one file that this many ranks all follow");
    verb.add_option("--collective,--collectives", arguments->simulate.scenario.collectives,
                    "How collectives are done: openmpi or mpich (choose as they do), or one by name, such as "
                    "allreduce=ring ('orrery collectives' lists them); may be repeated")
        .one_each_time();
    verb.add_flag(
        "--allow-truncated", arguments->allow_truncated,
        "Take a recorded trace that was cut off as far as it goes; its ranks then may wait for ever for "
        "what is missing");
    add_simulate_options(verb, arguments->simulate);
    add_dimemas_options(verb, arguments->dimemas_sends);
    verb.remove_option("--hostfile");
    verb.add_option(
            "--hostfile", arguments->hostfiles,
            "Where ranks run: a line per host, 'name', 'name:4' or 'name slots=4'; with several traces one "
            "for all or one for each")
        .one_each_time()
        .group("Machine");
    verb.footer(
        "Examples:\n"
        "  orrery replay traces/ --on graphene --hostfile hosts\n"
        "  orrery replay lu.oti --on stampede --collective mpich --links --timeline lu.paje\n"
        "  orrery replay a.oti b.oti --on stampede --start 0 --start 2s\n"
        "  orrery replay trace.txt --on platform.xml --hostfile hosts --model smpi-compat --json --per-rank\n"
        "  orrery replay broadcast.goal --loggops \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\"\n"
        "  orrery replay broadcast.goal --on odin --critical-path --timeline broadcast.svg\n"
        "  orrery replay sweep3d-2x2/ --on odin\n"
        "  orrery replay app.dim --on marenostrum.cfg          as Dimemas itself would\n"
        "  orrery replay app.dim --on stampede");
    verb.callback([arguments] { replay_verb(*arguments); });
}

} // namespace orrery::cli
