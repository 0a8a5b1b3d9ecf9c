// `orrery calibrate`: measures a machine and writes it down; rates of computation; models of kernels.
#include "cli/existing_files.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "machine/machine_file.h"
#include "observe/json_text.h"
#include "tools/calibrate/calibration.h"
#include "tools/calibrate/machine_text.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace orrery::cli {

namespace {

struct CalibrateArguments {
    std::uint32_t ranks = 2;
    std::string mpi;
    std::string mpirun;
    std::string mpirun_options;
    std::string hostfile;
    std::string map_by;
    std::string from;
    std::string measurements;
    std::string rate_from;
    std::string machine;
    std::string kernel;
    std::string terms;
    std::string split;
    std::string output;
    std::string plots;
    std::uint64_t seed = 1;
    bool quick = false;
    bool force = false;
    bool json = false;
};

// For the provenance of what is written.
std::string command_of(const CalibrateArguments& arguments) {
    std::string words = "orrery " ORRERY_VERSION ": orrery calibrate";
    const auto add = [&](std::string_view option, const std::string& value) {
        if (!value.empty()) words += fmt::format(" {} {}", option, value);
    };
    add("--mpi", arguments.mpi);
    add("--mpirun", arguments.mpirun);
    add("--hostfile", arguments.hostfile);
    add("--map-by", arguments.map_by);
    add("--from", arguments.from);
    add("--rate-from", arguments.rate_from);
    add("--machine", arguments.machine);
    if (arguments.quick) words += " --quick";
    add("-o", arguments.output);
    return words;
}

MpiKind wanted_mpi(const CalibrateArguments& arguments) {
    if (arguments.mpi == "openmpi") return MpiKind::openmpi;
    if (arguments.mpi == "mpich") return MpiKind::mpich;
    const std::string mpirun = arguments.mpirun.empty() ? find_in_path("mpirun") : arguments.mpirun;
    if (mpirun.empty())
        throw UsageError("there is no mpirun in PATH; install Open MPI or MPICH, or say which: --mpirun PATH");
    const auto kind = mpi_of_launcher(mpirun);
    if (!kind)
        throw UsageError(
            fmt::format("{} is neither of Open MPI nor of MPICH; say which: --mpi openmpi", mpirun));
    return *kind;
}

std::vector<std::string> words_between_spaces(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

void kernel_verb(const CalibrateArguments& arguments) {
    const KernelOptions options{arguments.terms, arguments.split};
    std::vector<KernelModel> models;
    for (const auto& [routine, points] :
         parse_kernel_points(read_whole_file(arguments.kernel), arguments.kernel))
        models.push_back(fit_kernel(routine, points, options, arguments.kernel));
    if (!arguments.output.empty()) write_file(arguments.output, kernel_text(models, arguments.kernel));
    nlohmann::json json = nlohmann::json::array();
    for (const KernelModel& model : models) {
        if (arguments.json) {
            json.push_back(kernel_json(model));
        } else {
            fmt::print("{}", kernel_words(model));
        }
    }
    if (arguments.json) fmt::print("{}\n", json_text(nlohmann::json{{"kernels", json}}));
    if (!arguments.json && !arguments.output.empty()) fmt::print("written       {}\n", arguments.output);
}

void rate_verb(const CalibrateArguments& arguments, const ComputeRate& rate) {
    if (!arguments.output.empty()) {
        if (arguments.machine.empty())
            throw UsageError("which machine gets the rate? --machine FILE, or --from MEASUREMENTS");
        write_file(arguments.output, machine_with_rate(arguments.machine, rate, command_of(arguments)));
    }
    if (arguments.json) {
        fmt::print("{}\n", json_text(nlohmann::json{{"rate", rate_json(rate)}}));
    } else {
        fmt::print("{}", rate_words(rate));
        if (!arguments.output.empty()) fmt::print("  written       {}\n", arguments.output);
    }
}

// Beside the machine file, under its name.
std::string measurements_path(const CalibrateArguments& arguments) {
    if (!arguments.measurements.empty()) return arguments.measurements;
    std::filesystem::path path(arguments.output);
    return path.replace_extension(".measurements.json").string();
}

void calibrate_verb(const CalibrateArguments& arguments) {
    refuse_existing(arguments.output, arguments.force);
    if (!arguments.kernel.empty()) return kernel_verb(arguments);
    if (!arguments.terms.empty() || !arguments.split.empty())
        throw UsageError("--terms and --split go with --kernel");
    if (arguments.ranks != 2)
        throw UsageError(fmt::format("-n {}: a calibration measures between two ranks", arguments.ranks));
    ComputeRate rate;
    if (!arguments.rate_from.empty()) rate = rate_of_trace(arguments.rate_from);
    if (!arguments.rate_from.empty() && arguments.from.empty()) return rate_verb(arguments, rate);
    if (!arguments.machine.empty()) throw UsageError("--machine goes with --rate-from");
    const bool measures = arguments.from.empty();
    if (arguments.output.empty()) throw UsageError("where to? -o machine.toml");

    std::string path = arguments.from;
    if (measures) {
        path = measurements_path(arguments);
        refuse_existing(path, arguments.force);
        MeasureOptions options;
        options.mpi = wanted_mpi(arguments);
        options.launch.mpirun = arguments.mpirun;
        options.launch.mpirun_options = words_between_spaces(arguments.mpirun_options);
        options.launch.hostfile = arguments.hostfile;
        options.launch.map_by = arguments.map_by;
        options.quick = arguments.quick;
        options.seed = arguments.seed;
        explain("measuring {} for {}", name_of(options.mpi), options.quick ? "5 seconds" : "half a minute");
        measure_machine(options, path);
    }
    const Calibration calibration = calibrate(
        read_measurements(path), arguments.rate_from.empty() ? nullptr : &rate, command_of(arguments));
    write_file(arguments.output, calibration.machine);
    std::string written = arguments.output;
    if (measures) written += ", " + path;
    if (!arguments.plots.empty()) {
        std::filesystem::create_directories(arguments.plots);
        for (const auto& [name, svg] : calibration_plots(calibration))
            write_file((std::filesystem::path(arguments.plots) / name).string(), svg);
        written += fmt::format(", {}/*.svg", arguments.plots);
    }
    if (arguments.json) {
        nlohmann::json json = calibration_json(calibration);
        if (!arguments.rate_from.empty()) json["rate"] = rate_json(rate);
        fmt::print("{}\n", json_text(json));
        return;
    }
    fmt::print("{}", calibration_words(calibration));
    if (!arguments.rate_from.empty()) fmt::print("{}", rate_words(rate));
    if (!quiet()) fmt::print("  written       {}\n", written);
}

} // namespace

void add_calibrate(const Verb& app) {
    const auto arguments = std::make_shared<CalibrateArguments>();
    const Verb verb = app.add_subcommand(
        "calibrate", "Measure a machine and write it as a machine file: messages, computation, kernels");
    verb.group("Machines");
    verb.add_option("-o,--output", arguments->output, "The machine file to write (with --kernel: of kernels)")
        .type_name("FILE");
    verb.add_flag("--force", arguments->force, "Replace machine file and measurements that are there");
    verb.add_ranks(arguments->ranks, "Always 2; accepted so that the command looks like that of mpirun",
                   1'000'000)
        .advanced();
    verb.add_option("--mpi", arguments->mpi,
                    "The MPI to measure: openmpi or mpich; otherwise that of mpirun in PATH")
        .type_name("MPI")
        .one_of({"openmpi", "mpich"});
    verb.add_flag("--quick", arguments->quick, "Measure for 5 seconds instead of half a minute");
    verb.add_option("--from", arguments->from, "Do not measure: use these measurements")
        .type_name("FILE")
        .existing_file();
    verb.add_option("--measurements", arguments->measurements,
                    "Where to keep the measurements [NAME.measurements.json next to the machine file]")
        .type_name("FILE");
    verb.add_option("--plots", arguments->plots, "Folder for pictures of the models (SVG)").type_name("FOLDER");
    verb.add_flag("--json", arguments->json, "Print one JSON object instead of text").group("Output");
    add_verbosity(verb);
    const char* const where = "Where it runs";
    verb.add_option("--hostfile", arguments->hostfile, "Hosts, as mpirun takes them: two, to measure a network")
        .type_name("FILE")
        .group(where)
        .existing_file();
    verb.add_option("--map-by", arguments->map_by, "Which rank on which host, as mpirun takes it")
        .type_name("MAPPING")
        .group(where)
        .advanced();
    verb.add_option("--mpirun", arguments->mpirun, "The mpirun to use; otherwise that of the MPI")
        .type_name("FILE")
        .group(where)
        .advanced();
    verb.add_option("--mpirun-options", arguments->mpirun_options, "More options for mpirun, in one word")
        .type_name("OPTIONS")
        .group(where)
        .advanced();
    verb.add_option("--seed", arguments->seed, "Seed of the sizes and of their order").group(where).advanced();
    const char* const compute = "Computation";
    verb.add_option("--rate-from", arguments->rate_from,
                    "Rate of a core, from a recorded trace with times (orrery trace --timed)")
        .type_name("TRACE")
        .group(compute);
    verb.add_option("--machine", arguments->machine,
                    "With --rate-from: write this machine with that rate, as a new file")
        .type_name("MACHINE")
        .group(compute);
    const char* const kernels = "Kernels";
    verb.add_option("--kernel", arguments->kernel,
                    "Models of routines, from measured points (CSV: routine,M,N,K,seconds)")
        .type_name("FILE")
        .group(kernels)
        .existing_file();
    verb.add_option(
            "--terms", arguments->terms,
            "What the time depends on, such as \"M*N*K, M*N, 1\"; otherwise the work of the routine, and 1")
        .type_name("TERMS")
        .group(kernels)
        .advanced();
    verb.add_option("--split", arguments->split,
                    "Two models, by a condition such as \"M > 512 && N > 512\": an accelerator for large calls")
        .type_name("CONDITION")
        .group(kernels)
        .advanced();
    verb.examples({"orrery calibrate -o machine.toml --plots plots",
                   "orrery calibrate --mpi mpich --hostfile two-hosts -o cluster.toml",
                   "orrery calibrate --from machine.measurements.json -o machine.toml --force",
                   "orrery calibrate --rate-from app.trace --machine machine.toml -o app.toml",
                   "orrery calibrate --kernel points.csv --split \"M > 512 && N > 512\" -o kernels.toml"});
    verb.notes("Let the machine do nothing else meanwhile. docs/calibration.md explains what is measured.");
    verb.callback([arguments] { calibrate_verb(*arguments); });
}

} // namespace orrery::cli
