// `orrery run`: runs an MPI program itself, with simulated ranks.
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "emulate/action_log.h"
#include "emulate/emulation.h"
#include "emulate/memory/huge_heap.h"
#include "emulate/program/program.h"
#include "engine/error.h"
#include "engine/units.h"

#include <cstdio>
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
    check_simulate_arguments(arguments.simulate);
    emulate::EmulationOptions& options = arguments.options;
    options.program.path = arguments.command.front();
    options.program.arguments.assign(arguments.command.begin() + 1, arguments.command.end());
    if (!arguments.privatize.empty()) options.program.mechanism = emulate::privatise_from(arguments.privatize);
    emulate::parse_compute(arguments.compute, options.compute);
    if (!arguments.reference_speed.empty())
        options.compute.reference_speed = parse_rate(arguments.reference_speed);
    for (const std::string& each : arguments.simulate.scenario.collectives) {
        if (each.find("simgrid-replay") != std::string::npos ||
            each.find("simgrid_replay") != std::string::npos)
            throw UsageError(
                fmt::format("--collective {}: this one moves less than the collective is to move; it is "
                            "there for the replay of traces",
                            each));
    }
    if (!options.trace.empty() && !options.trace.ends_with(".ort"))
        throw UsageError(fmt::format("--trace {}: expected a name that ends in .ort", options.trace));
    if (!arguments.stack.empty()) options.stack = parse_bytes(arguments.stack);
    std::istringstream words(arguments.skip);
    for (std::string word; std::getline(words, word, ',');) options.skip.push_back(word);
    if (!arguments.share_above.empty()) options.share_above = parse_bytes(arguments.share_above);

    if (!arguments.until.empty()) {
        if (!options.trace.empty() || arguments.simulate.efficiencies)
            throw UsageError(
                "--until: what ranks have begun and not ended cannot be replayed, so that there is no "
                "--trace and no --efficiencies with it");
        options.until = parse_time(arguments.until);
    }

    options.keep_actions = arguments.simulate.efficiencies;

    emulate::HugeHeap::begin();
    int exit_code = 0;
    const auto run = [&](const Scenario& scenario, Network& network, const ReplayOptions& replay) {
        emulate::EmulationResult result =
            emulate::emulate(options, scenario.platform(), network, replay, scenario.map(arguments.ranks));
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
    const Verb verb =
        app.add_subcommand("run", "Run an MPI program itself, with simulated ranks: predicted time, and why");
    verb.add_option("-n,--np,--ranks", arguments->ranks, "Number of ranks").required().range(1U, 10'000'000U);
    const char* const time = "The time of computation";
    verb.add_option("--compute", arguments->compute,
                    "measured (between MPI calls, on this computer), none, scale=F (F times as long), "
                    "record=FILE (measure and keep), from=FILE (as kept)")
        .group(time);
    verb.add_option("--reference-speed", arguments->reference_speed,
                    "The speed of this computer (10 Gflop/s): computation then takes as long as a host of the "
                    "machine needs for it")
        .group(time);
    verb.add_option("--kernels", arguments->options.kernels,
                    "Models of BLAS routines, for programs linked with liborrery_blas: a file, or a machine")
        .group(time);
    const char* const how = "How ranks share this process";
    verb.add_option("--privatize", arguments->privatize,
                    "How ranks keep their variables apart: segments (a copy of the program's data for each), "
                    "copy (in and out at each switch), none; chosen by the number of ranks and the size of "
                    "their variables unless told")
        .group(how)
        .one_of({"segments", "copy", "none"});
    verb.add_option("--stack", arguments->stack,
                    "Of each rank (256 KiB unless told); only what is touched is taken")
        .group(how);
    verb.add_option("--share-above", arguments->share_above,
                    "Blocks of memory of at least this size are shared by all ranks and their content is "
                    "meaningless: for programs whose control flow does not depend on it")
        .group(how);
    verb.add_option("--skip", arguments->skip,
                    "Functions of the program that return at once, with commas between them; * and ? stand for "
                    "other letters (HPL_pdmatgen,HPL_dlaswp*)")
        .group(time);
    verb.add_flag("--tag-output", arguments->options.program.tag_output,
                  "Put [rank] before each line of output")
        .group(how);
    verb.add_option("--collective,--collectives", arguments->simulate.scenario.collectives,
                    "How collectives are done: openmpi or mpich (choose as they do), or one by name, such as "
                    "allreduce=ring ('orrery collectives' lists them); may be repeated")
        .one_each_time();
    verb.add_option(
        "--trace", arguments->options.trace,
        "Write what the ranks do to this file (.ort), to be replayed; it stays in memory until the end");
    verb.add_option("--until", arguments->until,
                    "Stop after so much simulated time (100s), and say what has happened so far: for programs "
                    "that would run for long");
    add_simulate_options(verb, arguments->simulate);
    verb.add_option("command", arguments->command, "The program, built with orrery-mpicc, and its arguments");
    verb.positionals_at_end(); // what follows the program is the program's
    verb.footer(
        "The program's output comes first, then the prediction; with --json, one line. A program that ends "
        "with a code of its own (exit, MPI_Abort) gives it to orrery.\n"
        "Examples:\n"
        "  orrery-mpicc -O2 app.c -o app && orrery run -n 64 --on stampede ./app 100\n"
        "  orrery run -n 4096 --on stampede --compute none ./app\n"
        "  orrery run -n 16 --on stampede --network packet --tag-output ./app\n"
        "  orrery run -n 64 --on stampede --efficiencies --timeline app.svg --trace app.ort ./app");
    verb.callback([arguments] { run_verb(*arguments); });
}

} // namespace orrery::cli
