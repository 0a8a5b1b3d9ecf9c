// orrery replay: simulate a schedule or a trace.
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "workload/formats.h"

#include <memory>

namespace orrery::cli {

void add_replay(CLI::App& app) {
    struct Arguments {
        std::string input;
        SimulateArguments simulate;
    };
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* const verb =
        app.add_subcommand("replay", "Simulate a schedule or a trace: predicted time, and why");
    verb->add_option("input", arguments->input,
                     "GOAL text (.goal), a LogGOPSim binary (.bin) or our compact form (.orr)")
        ->required();
    add_simulate_options(*verb, arguments->simulate);
    verb->footer(
        "Examples:\n"
        "  orrery replay broadcast.goal --loggops \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\"\n"
        "  orrery replay broadcast.goal --on odin --critical-path --timeline broadcast.svg\n"
        "  orrery replay broadcast.goal --on odin --json --per-rank");
    verb->callback([arguments] {
        check_simulate_arguments(arguments->simulate);
        const Schedule schedule = load_schedule(arguments->input);
        run_and_report(schedule, arguments->input, arguments->simulate);
    });
}

} // namespace orrery::cli
