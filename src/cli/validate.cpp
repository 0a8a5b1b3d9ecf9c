// `orrery validate`: predicted against measured, on this machine.
#include "cli/inputs.h"
#include "cli/simulate_options.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/output_file.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "observe/json_text.h"
#include "tools/validate/plot.h"
#include "tools/validate/report.h"
#include "tools/validate/store.h"
#include "tools/validate/study.h"
#include "tools/validate/validation.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

struct ValidateArguments {
    std::vector<std::string> command; // or a study
    std::uint32_t ranks = 0;          // 0: a study
    std::string name;
    std::string trace;
    ValidationPlan plan; // what options say
    std::optional<Verb> verb;
    std::string timeout;
    std::string mpirun_options;
    std::string folder; // -o
    std::string plot;
    bool store = false;
    bool details = false;
    bool json = false;
    bool force = false;
};

// How far it has come: on a terminal one line that changes.
class ValidationBar {
  public:
    explicit ValidationBar(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) == 1) {}
    ValidationBar(const ValidationBar&) = delete;
    ValidationBar& operator=(const ValidationBar&) = delete;
    ~ValidationBar() {
        if (active_) fmt::print(stderr, "\r\x1b[K");
    }

    void show(const ValidationProgress& progress) const {
        if (!active_) return;
        constexpr std::size_t width = 30;
        const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
        std::string words =
            fmt::format("[{}{}] {}", std::string(filled, '='), std::string(width - filled, ' '), progress.what);
        if (progress.done > 0) words += fmt::format(", {:.0f} s left", seconds * (1 - share) / share);
        fmt::print(stderr, "\r{}\x1b[K", words);
        std::fflush(stderr);
    }

  private:
    bool active_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Where outputs and traces go: the folder that the user named, or one that is removed when all went well.
class WorkFolder {
  public:
    WorkFolder(const std::string& asked, bool replace) : path_(asked), keep_(!asked.empty()) {
        if (keep_) {
            std::error_code failed;
            fs::create_directories(path_, failed);
            if (failed) throw InputError(Error{path_, 0, 0, "cannot make this folder: " + failed.message()});
            if (!fs::is_empty(path_, failed) && !fs::exists(fs::path(path_) / "manifest.json", failed))
                throw UsageError(
                    fmt::format("-o {}: this folder has other files in it; give a new one", path_));
            if (!replace && fs::exists(fs::path(path_) / "manifest.json", failed))
                throw UsageError(fmt::format("-o {}: holds results already; --force replaces them", path_));
            return;
        }
        std::error_code none;
        const fs::path temporary = fs::temp_directory_path(none);
        if (none)
            throw InputError(
                "there is no folder for temporary files (TMPDIR names one); give -o FOLDER, and all "
                "files go there");
        std::string pattern = (temporary / "orrery-validate-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw InputError(Error{pattern, 0, 0, "cannot make this folder"});
        path_ = pattern;
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    ~WorkFolder() {
        std::error_code none;
        if (!keep_) fs::remove_all(path_, none);
    }
    [[nodiscard]] const std::string& path() const { return path_; }
    void keep() { keep_ = true; }

  private:
    std::string path_;
    bool keep_;
};

// A message without the name of a folder that is removed.
std::string without_folder(std::string message, const std::string& folder) {
    const std::string prefix = folder + "/";
    bool found = false;
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
        message.erase(at, prefix.size());
        found = true;
    }
    return found ? message + " (-o FOLDER keeps the files of all runs)" : message;
}

bool given(const ValidateArguments& arguments, const char* option) { return arguments.verb->given(option); }

// A study, with what the command line says instead.
ValidationPlan study_plan(const ValidateArguments& arguments) {
    if (arguments.command.size() != 1) {
        throw UsageError("how many ranks? Give -n RANKS -- PROGRAM ARGUMENTS, or one study (a .toml file)");
    }
    if (!arguments.trace.empty() || !arguments.name.empty())
        throw UsageError(
            "--trace and --name belong to one application; in a study they are keys of [[application]]");
    const std::string& study = arguments.command.front();
    expect_study(study, fmt::format(": orrery validate -n RANKS --on MACHINE -- {}", study));
    ValidationPlan plan = read_validation(study);
    const ValidationPlan& said = arguments.plan;
    SimulationText& simulation = plan.simulation;
    const auto replace = [&](const char* option, auto& into, const auto& value) {
        if (given(arguments, option)) into = value;
    };
    replace("--on", simulation.machine, said.simulation.machine);
    replace("--network", simulation.network, said.simulation.network);
    replace("--model", simulation.model, said.simulation.model);
    replace("--no-congestion", simulation.congestion, said.simulation.congestion);
    replace("--loggops", simulation.loggops, said.simulation.loggops);
    replace("--rendezvous", simulation.rendezvous, said.simulation.rendezvous);
    replace("--hostfile", simulation.hostfile, said.simulation.hostfile);
    replace("--map-by", simulation.map_by, said.simulation.map_by);
    replace("--collective", simulation.collectives, said.simulation.collectives);
    replace("--runs", plan.runs, said.runs);
    replace("--warm-ups", plan.warm_ups, said.warm_ups);
    replace("--traces", plan.traces, said.traces);
    replace("--counter", plan.counter, said.counter);
    replace("--mpirun", plan.mpirun, said.mpirun);
    replace("--mpi", plan.mpi, said.mpi);
    replace("--mpirun-options", plan.mpirun_options, split_words(arguments.mpirun_options));
    simulation.settings.insert(simulation.settings.end(), said.simulation.settings.begin(),
                               said.simulation.settings.end());
    return plan;
}

ValidationPlan plan_of(const ValidateArguments& arguments) {
    if (arguments.command.empty())
        throw UsageError(
            "what shall be validated? Give -n RANKS -- PROGRAM ARGUMENTS, or a study (a .toml file)");
    ValidationPlan plan = arguments.ranks == 0 ? study_plan(arguments) : arguments.plan;
    if (arguments.ranks != 0) {
        const std::string program = fs::path(arguments.command.front()).filename().string();
        plan.name = arguments.name.empty() ? program : arguments.name;
        plan.mpirun_options = split_words(arguments.mpirun_options);
        plan.applications.push_back({plan.name, arguments.command, arguments.ranks, arguments.trace});
    }
    if (!arguments.timeout.empty()) plan.timeout_seconds = parse_time(arguments.timeout).seconds();
    plan.program = "orrery " ORRERY_VERSION;
    if (plan.simulation.machine.empty())
        throw UsageError("a machine is needed: --on FILE, as 'orrery calibrate' writes it for this machine");
    return plan;
}

std::vector<std::string> command_line(const ValidateArguments& arguments) {
    std::vector<std::string> out{"orrery", "validate"};
    if (arguments.ranks != 0) {
        out.insert(out.end(),
                   {"-n", std::to_string(arguments.ranks), "--on", arguments.plan.simulation.machine, "--"});
    }
    out.insert(out.end(), arguments.command.begin(), arguments.command.end());
    return out;
}

// "2026-11-18", here.
std::string today() {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

void write_picture(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

void validate_verb(const ValidateArguments& arguments) {
    const ValidationPlan plan = plan_of(arguments);
    if (arguments.store) check_store(plan);
    const ValidationContext context = context_of(plan);
    explain("{}: {}, {} of each", plan.name, plural(plan.applications.size(), "program"),
            plural(plan.runs, "run"));
    WorkFolder folder(arguments.folder, arguments.force);
    const bool passing = arguments.folder.empty(); // the folder is gone in the end
    std::vector<ValidationResult> results;
    const InterruptWatch between_runs;
    const char* const kept = passing ? "no result is kept" : "the runs so far are kept";
    try {
        const ValidationBar bar(!quiet());
        results = validate(plan, folder.path(), [&](const ValidationProgress& progress) {
            if (interrupt_requested() != 0) throw_interrupted(fmt::format("between two runs; {}", kept));
            bar.show(progress);
        });
    } catch (const ValidationStopped& stopped) {
        throw Interrupted(stopped.signal(), fmt::format("stopped by SIG{} during a run; {}",
                                                        ::sigabbrev_np(stopped.signal()), kept));
    } catch (const SimulationError&) {
        folder.keep(); // the message names a file in it
        throw;
    } catch (const InputError& error) {
        if (!passing) throw;
        throw InputError(without_folder(error.what(), folder.path()));
    }
    for (ValidationResult& each : results) {
        if (passing && each.application.trace.empty()) each.trace.clear();
    }
    if (!arguments.plot.empty()) write_picture(arguments.plot, draw_validation(plan, results));
    if (!arguments.folder.empty()) {
        write_validation(plan, context, results, folder.path(), command_line(arguments));
    }
    if (arguments.store) store_validation(plan, stored_error(plan, results, today()));
    if (arguments.json) {
        fmt::print("{}\n", json_text(validation_json(plan, context, results)));
        return;
    }
    fmt::print("{}", validation_words(plan, context, results, arguments.details));
    if (!arguments.folder.empty()) fmt::print("  written   {}\n", folder.path());
    if (!arguments.plot.empty()) fmt::print("  picture   {}\n", arguments.plot);
    if (arguments.store)
        fmt::print("  stored    {}: its predictions carry this error\n", plan.simulation.machine);
}

void add_run_options(const Verb& verb, ValidateArguments& arguments) {
    const char* const group = "Real runs";
    ValidationPlan& plan = arguments.plan;
    verb.add_option("--runs", plan.runs, "Measured runs of each program")
        .range(1U, 10'000U)
        .show_default()
        .group(group);
    verb.add_option("--warm-ups", plan.warm_ups, "Runs before them, which do not count")
        .range(0U, 10'000U)
        .show_default()
        .group(group)
        .advanced();
    verb.add_option(
            "--traces", plan.traces,
            "Traced runs; the prediction is the mean over them, and details are those of the run with the "
            "median volume")
        .range(1U, 10'000U)
        .show_default()
        .group(group)
        .advanced();
    verb.add_option("--trace", arguments.trace, "Predict from this trace ('orrery trace --timed') instead")
        .type_name("TRACE")
        .group(group);
    verb.add_option("--counter", plan.counter, "What a trace counts: auto, instructions or cpu-time")
        .type_name("COUNTER")
        .one_of({"auto", "instructions", "cpu-time"})
        .group(group)
        .advanced();
    verb.add_option("--timeout", arguments.timeout, "A run that takes longer is ended, and is an error")
        .type_name("TIME")
        .group(group)
        .advanced();
    verb.add_option("--mpirun", plan.mpirun, "The mpirun to use; otherwise that of the program's MPI")
        .type_name("FILE")
        .group(group)
        .advanced();
    verb.add_option("--mpirun-options", arguments.mpirun_options, "More options for mpirun, in one word")
        .type_name("OPTIONS")
        .group(group)
        .advanced();
    verb.add_option("--mpi", plan.mpi, "For scripts: the MPI of the programs that they start")
        .type_name("MPI")
        .one_of({"openmpi", "mpich"})
        .group(group)
        .advanced();
}

} // namespace

void add_validate(const Verb& app) {
    const auto arguments = std::make_shared<ValidateArguments>();
    const Verb verb = app.add_subcommand(
        "validate", "Run a program on this computer, predict it, and compare: how good is the model?");
    verb.group("Machines");
    arguments->verb = verb;
    verb.add_option("command", arguments->command,
                    "After --: the program and its arguments; or a study of several (TOML)")
        .type_name("PROGRAM");
    verb.add_ranks(arguments->ranks, "Number of ranks of the program (also -np)", 1'000'000);
    verb.add_option("--name", arguments->name, "Name of the program in the answer; otherwise its file name")
        .type_name("NAME")
        .advanced();
    add_machine_options(verb, arguments->plan.simulation);
    add_collective_option(verb, arguments->plan.simulation.collectives);
    add_run_options(verb, *arguments);
    const char* const output = "Output";
    verb.add_option("-o,--output", arguments->folder, "Keep runs, traces and results in this folder")
        .type_name("FOLDER")
        .group(output);
    verb.add_flag("--force", arguments->force, "Replace results that the folder holds").group(output);
    verb.add_option("--plot", arguments->plot, "Draw measured and predicted times and the errors (.svg)")
        .type_name("FILE")
        .group(output);
    verb.add_flag("--store", arguments->store,
                  "Write the largest error into the machine file: predictions for it then carry it")
        .group(output);
    verb.add_flag("--details", arguments->details, "Also where the time went, measured against predicted")
        .group(output);
    verb.add_flag("--json", arguments->json, "Print one JSON object instead of text").group(output);
    add_verbosity(verb);
    verb.examples(
        {"orrery validate -n 2 --on my-machine.toml -- ./heat 512 1000",
         "orrery validate study.toml -o results",
         "orrery validate -n 2 --on my-machine.toml --runs 20 --details --plot heat.svg -- ./heat 512 1000"});
    verb.details(
        "The time of a run is that from the return of MPI_Init to MPI_Finalize on its slowest rank. "
        "Disturbed runs are left out of the mean and listed as outliers. Exit code 1: the program failed "
        "in a run, or its replay did.");
    verb.callback([arguments] { validate_verb(*arguments); });
}

} // namespace orrery::cli
