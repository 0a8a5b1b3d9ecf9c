// orrery replay: simulate a schedule or a trace.
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "workload/allprof/trace.h"
#include "workload/allprof/trace_files.h"
#include "workload/formats.h"

#include <fmt/format.h>
#include <memory>

namespace orrery::cli {

namespace {

Schedule load_trace(const std::string& path) {
    const AllprofTrace trace = AllprofTrace::open(path);
    ScheduleBuilder builder(path);
    generate(trace, trace.ranks(), builder);
    for (const std::string& note : trace.summary().notes()) fmt::print(stderr, "  {}\n", note);
    return builder.take();
}

} // namespace

void add_replay(CLI::App& app) {
    struct Arguments {
        std::string input;
        SimulateArguments simulate;
    };
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* const verb =
        app.add_subcommand("replay", "Simulate a schedule or a trace: predicted time, and why");
    verb->add_option(
            "input", arguments->input,
            "A schedule: GOAL text (.goal), a LogGOPSim binary (.bin) or our compact form (.orr); or a "
            "trace of liballprof: its directory, or one of its files ('orrery extrapolate' has options)")
        ->required();
    add_simulate_options(*verb, arguments->simulate);
    verb->footer(
        "Examples:\n"
        "  orrery replay broadcast.goal --loggops \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\"\n"
        "  orrery replay broadcast.goal --on odin --critical-path --timeline broadcast.svg\n"
        "  orrery replay broadcast.goal --on odin --json --per-rank\n"
        "  orrery replay sweep3d-2x2/ --on odin");
    verb->callback([arguments] {
        check_simulate_arguments(arguments->simulate);
        const std::string& input = arguments->input;
        run_and_report(looks_like_allprof(input) ? load_trace(input) : load_schedule(input), input,
                       arguments->simulate);
    });
}

} // namespace orrery::cli
