// `orrery trace`: runs an MPI application under its own mpirun and records what it does.
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "tools/acquire/acquire.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <string>

namespace orrery::cli {

namespace {

struct TraceArguments {
    Acquisition wanted;
    std::string mpi;
    std::string mpirun_options;
    std::string buffer;
    std::string gather;
    std::string timeout;
    std::string summary;
};

// The standard output is the application's; ours goes to the standard error.
void say(const std::string& words) {
    std::fflush(stdout);
    fmt::print(stderr, "{}", words);
    std::fflush(stderr);
}

std::uint32_t arity(const std::string& text) {
    const std::uint64_t number = parse_count(text);
    if (number == 0 || number > 1024) throw UsageError(fmt::format("--gather={}: expected 1 to 1024", text));
    return static_cast<std::uint32_t>(number);
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

// As if the signal had not been held up, so that the shell knows.
[[noreturn]] void stop_recording(int signal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    throw ExitWith{128 + signal};
}

void trace_verb(TraceArguments arguments) {
    Acquisition& wanted = arguments.wanted;
    if (wanted.launch.command.empty()) throw UsageError("which program? orrery trace -n 8 -- ./app arguments");
    wanted.launch.mpirun_options = words_of(arguments.mpirun_options);
    if (!arguments.mpi.empty()) wanted.mpi = arguments.mpi == "mpich" ? MpiKind::mpich : MpiKind::openmpi;
    if (!arguments.buffer.empty()) wanted.buffer = parse_bytes(arguments.buffer);
    if (!arguments.gather.empty()) wanted.gather = arity(arguments.gather);
    if (!arguments.timeout.empty()) wanted.launch.timeout_seconds = parse_time(arguments.timeout).seconds();
    wanted.program = "orrery " ORRERY_VERSION;

    explain("running {} with {}", wanted.launch.command.front(), plural(wanted.launch.ranks, "rank"));
    const Acquired acquired = acquire(wanted);
    explain("mpirun: {}", acquired.run.command_line);
    if (!arguments.summary.empty()) {
        OutputFile file(arguments.summary);
        file.write(summary_json(acquired));
        file.commit();
    }
    if (acquired.trace && !quiet()) say(summary_words(acquired));
    if (!acquired.trace || (acquired.cut_off && quiet())) say(fmt::format("orrery: {}\n", acquired.problem));
    if (acquired.run.stopped_by != 0) stop_recording(acquired.run.stopped_by);
    if (acquired.run.timed_out) {
        throw SimulationError(fmt::format("the application was ended after {} (--timeout)", arguments.timeout));
    }
    if (acquired.run.exit_code != 0) {
        say(fmt::format("orrery: the application failed: exit code {} of mpirun\n", acquired.run.exit_code));
        throw ExitWith{acquired.run.exit_code};
    }
    if (!acquired.trace || acquired.cut_off) throw ExitWith{3};
}

} // namespace

void add_trace(const Verb& app) {
    const auto arguments = std::make_shared<TraceArguments>();
    Acquisition& wanted = arguments->wanted;
    const Verb verb = app.add_subcommand(
        "trace", "Run an MPI program on this computer and record what it does, for 'orrery replay'");
    verb.group("Record and convert");
    verb.add_option("command", wanted.launch.command, "After --: the program and its arguments")
        .type_name("PROGRAM");
    verb.add_ranks(wanted.launch.ranks, "Number of ranks (also -np); more than there are cores is fine",
                   1'000'000)
        .required();
    verb.add_option(
            "-o,--output", wanted.output,
            "Folder for the trace, a file for each rank; or one file if it ends in .ort [PROGRAM.trace]")
        .type_name("FOLDER");
    verb.add_flag("--force", wanted.replace, "Replace a trace that is there");
    verb.add_flag("--timed", wanted.timed, "Also keep the time of each call");
    verb.add_option("--counter", wanted.counter,
                    "What measures computation: instructions, cpu-time, or auto (instructions if this computer "
                    "can count them)")
        .type_name("COUNTER")
        .one_of({"auto", "instructions", "cpu-time"});
    verb.add_option("--summary", arguments->summary, "Write the summary to this file, as JSON")
        .type_name("FILE")
        .group("Output");
    add_verbosity(verb);
    const char* const where = "Where and how it runs";
    verb.add_option("--hostfile", wanted.launch.hostfile, "Hosts, as mpirun takes them")
        .type_name("FILE")
        .group(where)
        .existing_file();
    verb.add_option("--map-by", wanted.launch.map_by, "Which rank on which host, as mpirun takes it")
        .type_name("MAPPING")
        .group(where);
    verb.add_option("--timeout", arguments->timeout, "End the program after this time")
        .type_name("TIME")
        .group(where);
    verb.add_option("--mpirun", wanted.launch.mpirun,
                    "The mpirun to use; otherwise that of the MPI which the program is linked with")
        .type_name("FILE")
        .group(where);
    verb.add_option("--mpirun-options", arguments->mpirun_options, "More options for mpirun, in one word")
        .type_name("OPTIONS")
        .group(where);
    verb.add_option("--mpi", arguments->mpi, "For scripts: the MPI of the programs that they start")
        .type_name("MPI")
        .group(where)
        .one_of({"openmpi", "mpich"})
        .advanced();
    verb.add_option(
            "--gather", arguments->gather,
            "Send the trace to the host of rank 0 at the end, over MPI, in a tree with K children for each "
            "rank: for hosts that share no file system [2]")
        .type_name("K")
        .group(where)
        .optional_value("2")
        .advanced();
    verb.add_option("--buffer", arguments->buffer, "Size of a buffer; each rank has two [256 KiB]")
        .type_name("SIZE")
        .group(where)
        .advanced();
    verb.positionals_at_end(); // what follows the program is the program's
    verb.examples({"orrery trace -n 8 -- ./app input.txt",
                   "orrery trace -n 256 -o big.ort -- ./app          more ranks than cores"});
    verb.notes(
        "The program must be linked with the shared library of Open MPI or MPICH. Its output is unchanged; "
        "the summary goes to the standard error.");
    verb.details(
        "Exit code: 0 if all is well; that of mpirun if the program failed (what it recorded is kept); 1 "
        "after --timeout; 2 wrong usage; 3 the program cannot be traced, or it left no trace. "
        "docs/tracing.md explains more.");
    verb.callback([arguments] { trace_verb(*arguments); });
}

} // namespace orrery::cli
