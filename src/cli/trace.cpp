// `orrery trace`: runs an MPI application under its own mpirun and records what it does.
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "engine/units.h"
#include "study/acquisition/acquire.h"

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
    bool quiet = false;
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

    const Acquired acquired = acquire(wanted);
    if (!arguments.summary.empty()) {
        OutputFile file(arguments.summary);
        file.write(summary_json(acquired));
        file.commit();
    }
    if (acquired.trace && !arguments.quiet) say(summary_words(acquired));
    if (!acquired.trace || (acquired.cut_off && arguments.quiet))
        say(fmt::format("orrery: {}\n", acquired.problem));
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
        "trace", "Run an MPI application and record what it does: a trace that other verbs predict from");
    verb.add_option("-n,--np,--ranks", wanted.launch.ranks,
                    "Number of ranks; more than there are cores is fine")
        .required()
        .range(1U, 1'000'000U);
    verb.add_option("-o,--output", wanted.output,
                    "Folder for the trace, a file for each rank, or one file if it ends in .ort; otherwise "
                    "PROGRAM.trace");
    verb.add_flag("--force", wanted.replace, "Replace a trace that is there");
    verb.add_flag("--timed", wanted.timed, "Keep the times of all calls too, not just volumes");
    verb.add_option(
            "--counter", wanted.counter,
            "What measures computation: instructions, cpu-time, or auto (instructions where the machine "
            "can count them)")
        .one_of({"auto", "instructions", "cpu-time"});
    verb.add_option("--summary", arguments->summary, "Write what is said at the end to this file, as JSON");
    verb.add_flag("--quiet", arguments->quiet, "Say nothing at the end if all is well");
    const char* const where = "Where and how it runs";
    verb.add_option("--hostfile", wanted.launch.hostfile, "Hosts, as mpirun takes them")
        .group(where)
        .existing_file();
    verb.add_option("--map-by", wanted.launch.map_by, "Which rank on which host, as mpirun takes it")
        .group(where);
    verb.add_option("--mpirun", wanted.launch.mpirun,
                    "The mpirun; otherwise that of the MPI which the program is linked with")
        .group(where);
    verb.add_option("--mpirun-options", arguments->mpirun_options, "Further options for mpirun, in one word")
        .group(where);
    verb.add_option("--mpi", arguments->mpi, "For scripts: the MPI of the programs that they start")
        .group(where)
        .one_of({"openmpi", "mpich"});
    verb.add_option("--gather", arguments->gather,
                    "Send the trace to the host of rank 0 at the end, over MPI, in a tree in which each rank "
                    "hears from K others (--gather=K; 2 unless told): for hosts that share no file system")
        .group(where)
        .optional_value("2");
    verb.add_option("--buffer", arguments->buffer,
                    "Memory of a buffer, of which each rank has two (256 KiB unless told)")
        .group(where);
    verb.add_option("--timeout", arguments->timeout, "End the application after this time, such as '10 min'")
        .group(where);
    verb.add_option("command", wanted.launch.command, "The program and its arguments, after --");
    verb.positionals_at_end(); // what follows the program is the program's
    verb.footer(
        "The application runs as it always does; its output is untouched, and ours goes to the standard "
        "error.\n"
        "The program must be linked with the shared library of Open MPI or MPICH. docs/tracing.md tells more.\n"
        "Exit code: 0 if all is well; that of mpirun if the application failed (what it recorded is kept);\n"
        "1 after --timeout; 2 wrong usage; 3 the program cannot be traced, or it left no trace.\n"
        "Examples:\n"
        "  orrery trace -n 8 -- ./app input.txt\n"
        "  orrery trace -n 256 -o big.ort -- ./app      (folded: on as few cores as there are)");
    verb.callback([arguments] { trace_verb(*arguments); });
}

} // namespace orrery::cli
