// `orrery run`: runs an MPI program itself, with simulated ranks.
#include "cli/run_directory.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "emulate/memory/huge_heap.h"
#include "emulate/program/program.h"
#include "engine/error.h"
#include "engine/units.h"
#include "mpi_library/action_log.h"
#include "mpi_library/emulation.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <string>

namespace orrery::cli {

namespace {

struct RunArguments {
    std::uint32_t ranks = 1;
    std::vector<std::string> command;
    std::string compute = "measured";
    std::string reference_speed;
    std::string privatize;
    std::string stack;
    std::string share_above;
    std::string skip;
    std::string until;
    std::string stall;
    emulate::EmulationOptions options;
    SimulateArguments simulate;
};

// Where the time of computation comes from, for the summary.
std::string computation_words(const RunArguments& arguments) {
    const emulate::ComputeOptions& compute = arguments.options.compute;
    std::string words = "the program's own computation takes no time";
    if (compute.measured) {
        words = compute.from.empty() ? "computation as measured here"
                                     : fmt::format("computation as recorded in {}", compute.from);
        if (compute.scale != 1) words += fmt::format(", times {:g}", compute.scale);
        if (compute.reference_speed > 0)
            words += fmt::format(", at {} for the speed of the machine's hosts", arguments.reference_speed);
    }
    if (!arguments.options.kernels.empty())
        words += fmt::format("; kernels as {} models them", arguments.options.kernels);
    return words;
}

void run_verb(RunArguments& arguments) {
    if (arguments.command.empty())
        throw UsageError("which program? orrery run -n 8 --on MACHINE ./app arguments");
    arguments.simulate.inputs.push_back({"program", arguments.command.front()});
    if (std::error_code none; std::filesystem::is_regular_file(arguments.options.kernels, none))
        arguments.simulate.inputs.push_back({"kernels", arguments.options.kernels});
    check_simulate_arguments(arguments.simulate);
    emulate::EmulationOptions& options = arguments.options;
    options.program.path = arguments.command.front();
    options.program.arguments.assign(arguments.command.begin() + 1, arguments.command.end());
    if (!arguments.privatize.empty()) options.program.mechanism = emulate::privatise_from(arguments.privatize);
    emulate::parse_compute(arguments.compute, options.compute);
    if (std::error_code none; std::filesystem::is_regular_file(options.compute.from, none))
        arguments.simulate.inputs.push_back({"bursts", options.compute.from});
    if (!arguments.reference_speed.empty())
        options.compute.reference_speed = parse_rate(arguments.reference_speed);
    if (!options.trace.empty() && !options.trace.ends_with(".ort"))
        throw UsageError(fmt::format("--trace {}: expected a name that ends in .ort", options.trace));
    if (!arguments.stack.empty()) options.stack = parse_bytes(arguments.stack);
    std::istringstream words(arguments.skip);
    for (std::string word; std::getline(words, word, ',');) options.skip.push_back(word);
    if (!arguments.share_above.empty()) options.share_above = parse_bytes(arguments.share_above);

    if (options.check_memory && !arguments.share_above.empty())
        throw UsageError("--check-memory: blocks that all ranks share (--share-above) cannot be checked; leave "
                         "one of the two out");
    if (!arguments.until.empty()) {
        if (!options.trace.empty() || arguments.simulate.efficiencies)
            throw UsageError(
                "--until: what ranks have begun and not ended cannot be replayed, so that there is no "
                "--trace and no --efficiencies with it");
        if (arguments.simulate.critical_path)
            throw UsageError(
                "--until: a run that is stopped has no end yet that --critical-path could explain");
        options.until = parse_time(arguments.until);
    }

    if (!arguments.stall.empty()) options.stall = parse_time(arguments.stall);

    options.keep_actions = arguments.simulate.efficiencies;

    emulate::HugeHeap::begin();
    int exit_code = 0;
    const auto run = [&](const Simulation& simulation, Network& network, const ReplayOptions& replay) {
        if (const Algorithm* const wrong = replay.collectives.without_data(); wrong != nullptr) {
            throw UsageError(
                fmt::format("--collective: {}={} does not give every rank what MPI says; it is there for "
                            "traces and schedules",
                            name_of(wrong->operation), wrong->name));
        }
        emulate::EmulationResult result =
            emulate::emulate(options, simulation.platform(), network, replay, simulation.map(arguments.ranks));
        exit_code = result.exit_code;
        for (const std::string& each : result.unused)
            fmt::print(stderr, "orrery: --skip {}: the program calls no such function\n", each);
        std::fflush(stdout); // what the program has said comes first
        ProgramRun done{std::move(result.prediction), {}};
        done.scaled = options.compute.measured && options.compute.reference_speed > 0;
        done.measured = options.compute.measured && !done.scaled && options.compute.scale == 1;
        if (result.actions)
            done.actions.push_back({result.actions, Time::zero(), "", emulate::logged_rate, true});
        return done;
    };
    try {
        run_and_report(run, arguments.ranks, arguments.command.front(), computation_words(arguments),
                       arguments.simulate);
    } catch (const emulate::ProgramFailed& error) {
        std::fflush(stdout);
        fmt::print(stderr, "orrery: {}\n", error.what());
        throw ExitWith{error.exit_code()};
    }
    if (exit_code != 0) throw ExitWith{exit_code};
}

} // namespace

void add_run(const Verb& app) {
    const auto arguments = std::make_shared<RunArguments>();
    const Verb verb = app.add_subcommand(
        "run", "Run an MPI program itself with simulated ranks: how long it takes on the machine, and why");
    verb.group("Predict");
    verb.add_option("command", arguments->command, "The program, built with orrery-mpicc, and its arguments")
        .type_name("PROGRAM");
    verb.add_ranks(arguments->ranks, "Number of ranks (also -np)", 10'000'000).required();
    add_simulate_options(verb, arguments->simulate, SimulatesWhat::program);
    add_run_directory_options(verb, arguments->simulate);
    add_collective_option(verb, arguments->simulate.simulation.collectives);
    verb.add_option("--trace", arguments->options.trace, "Write what the ranks do (.ort), for 'orrery replay'")
        .type_name("FILE")
        .group("Output");
    verb.add_option("--until", arguments->until, "Stop at this simulated time, and report what happened so far")
        .type_name("TIME");
    verb.add_option(
            "--stall", arguments->stall,
            "An error if no rank makes progress for this processor time: an endless loop; 0s: never [10min]")
        .type_name("TIME")
        .advanced();
    const char* const time = "Computation";
    verb.add_option("--compute", arguments->compute,
                    "Time of computation: measured (on this computer), none, scale=F, record=FILE (measure and "
                    "keep) or from=FILE (as kept)")
        .type_name("HOW")
        .completes({"measured", "none", "scale=", "record=", "from="});
    verb.add_option("--reference-speed", arguments->reference_speed,
                    "Speed of this computer: computation is then scaled to the speed of the machine's hosts")
        .type_name("RATE")
        .group(time)
        .advanced();
    verb.add_option("--kernels", arguments->options.kernels,
                    "Models of BLAS routines, for programs linked with liborrery_blas: a file, or a machine")
        .type_name("FILE")
        .group(time)
        .advanced();
    verb.add_option("--skip", arguments->skip,
                    "Functions of the program that return at once, with commas between them; * and ? are "
                    "wildcards (HPL_pdmatgen,HPL_dlaswp*)")
        .type_name("FUNCTIONS")
        .group(time)
        .advanced();
    const char* const how = "How ranks share this process";
    verb.add_flag("--tag-output", arguments->options.program.tag_output,
                  "Print [rank] before each line of output")
        .group(how)
        .advanced();
    verb.add_option("--privatize", arguments->privatize,
                    "How each rank keeps its global variables: segments (private memory), copy (saved and "
                    "restored at each switch) or none; otherwise chosen by ranks and sizes")
        .type_name("HOW")
        .group(how)
        .one_of({"segments", "copy", "none"})
        .advanced();
    verb.add_flag(
            "--check-memory", arguments->options.check_memory,
            "Find what is written behind a block of malloc or new, and blocks that are freed twice; slower")
        .group(how)
        .advanced();
    verb.add_option("--stack", arguments->stack, "Stack of each rank; only touched pages use memory [256 KiB]")
        .type_name("SIZE")
        .group(how)
        .advanced();
    verb.add_option(
            "--share-above", arguments->share_above,
            "All ranks share each block of memory of at least this size; its content is then meaningless. "
            "For programs whose control flow does not depend on it")
        .type_name("SIZE")
        .group(how)
        .advanced();
    verb.positionals_at_end(); // what follows the program is the program's
    verb.examples({"orrery-mpicc -O2 app.c -o app && orrery run -n 64 --on stampede ./app 100",
                   "orrery run -n 4096 --on stampede --compute none ./app",
                   "orrery run -n 16 --on stampede --network packet --tag-output ./app",
                   "orrery run -n 64 --on stampede --efficiencies --timeline app.svg --trace app.ort ./app"});
    verb.notes("The program's output comes first, then the prediction. The exit code is the program's.");
    verb.callback([arguments] { run_verb(*arguments); });
}

} // namespace orrery::cli
