#include "cli/simulate_options.h"

#include "cli/progress_bar.h"
#include "engine/error.h"
#include "engine/units.h"
#include "mpi/simulate.h"
#include "observe/critical_path.h"
#include "observe/report.h"
#include "observe/timeline_perfetto.h"
#include "observe/timeline_svg.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery::cli {

namespace {

LogGOPS parameters_of(const SimulateArguments& arguments) {
    LogGOPS parameters;
    if (!arguments.on.empty()) {
        std::vector<std::string_view> names;
        bool found = false;
        for (const NamedLogGOPS& set : published_loggops()) {
            names.push_back(set.name);
            if (set.name != arguments.on) continue;
            parameters = set.parameters;
            found = true;
        }
        if (!found) {
            const std::string near = nearest_word(arguments.on, names);
            throw UsageError(fmt::format("--on {}: no such machine; there are {}{}", arguments.on,
                                         fmt::join(names, ", "),
                                         near.empty() ? "" : fmt::format("; did you mean {}?", near)));
        }
    }
    parameters = parse_loggops(arguments.loggops, parameters);
    parameters = restrict_to_model(parameters, arguments.model);
    if (arguments.rendezvous == "handshake") {
        parameters.rendezvous = Rendezvous::handshake;
    } else if (arguments.rendezvous != "sender-waits") {
        throw UsageError(
            fmt::format("--rendezvous {}: expected sender-waits or handshake", arguments.rendezvous));
    }
    return parameters;
}

std::unique_ptr<Noise> noise_of(const SimulateArguments& arguments) {
    const NoiseOptions options{arguments.seed, arguments.noise_coscheduled};
    if (!arguments.noise_file.empty() && !arguments.noise.empty()) {
        throw UsageError("--noise and --noise-file exclude each other");
    }
    if (!arguments.noise_file.empty()) return noise_from_file(arguments.noise_file, options);
    if (!arguments.noise.empty()) return noise_from_distribution(arguments.noise, options);
    return nullptr;
}

enum class TimelineKind { svg, perfetto };

TimelineKind timeline_kind(const std::string& path) {
    if (path.ends_with(".svg")) return TimelineKind::svg;
    if (path.ends_with(".pftrace") || path.ends_with(".perfetto-trace")) return TimelineKind::perfetto;
    throw UsageError(fmt::format("--timeline {}: expected a name that ends in .svg or .pftrace", path));
}

SvgOptions svg_options(const std::string& title, const SimulateArguments& arguments) {
    SvgOptions options;
    options.title = title;
    if (!arguments.timeline_from.empty()) options.from = parse_time(arguments.timeline_from);
    if (!arguments.timeline_to.empty()) options.to = parse_time(arguments.timeline_to);
    const std::string& range = arguments.timeline_ranks;
    if (!range.empty()) {
        std::uint32_t first = 0;
        const char* const end = range.data() + range.size();
        const auto start = std::from_chars(range.data(), end, first);
        std::uint32_t last = first;
        const bool dash = start.ec == std::errc() && start.ptr != end && *start.ptr == '-';
        const auto rest = dash ? std::from_chars(start.ptr + 1, end, last) : start;
        if (rest.ec != std::errc() || rest.ptr != end) {
            throw UsageError(fmt::format("--timeline-ranks {}: expected a range such as 0-15", range));
        }
        options.first_rank = first;
        options.last_rank = last;
    }
    return options;
}

void print_per_rank(const Prediction& prediction) {
    fmt::print("{:>8} {:>16} {:>16} {:>16} {:>16}\n", "rank", "finish", "compute", "overhead", "waiting");
    for (std::size_t rank = 0; rank < prediction.ranks.size(); ++rank) {
        const RankTimes& times = prediction.ranks[rank];
        fmt::print("{:>8} {:>16} {:>16} {:>16} {:>16}\n", rank, format_time(times.finish),
                   format_time(times.compute), format_time(times.overhead),
                   format_time(prediction.waiting(times)));
    }
}

std::string held(const Schedule& schedule) {
    const char* where = !schedule.mapped_from_file() ? "in memory"
                        : schedule.crowded()
                            ? "mapped: too large for memory, so pages come and go as ranks advance"
                            : "mapped from its file";
    const auto operations = static_cast<double>(std::max<std::uint64_t>(schedule.operations(), 1));
    return fmt::format("{}, {}; {:.2g} bytes per operation, {} distinct rank program{}",
                       format_bytes(schedule.bytes()), where,
                       static_cast<double>(schedule.bytes()) / operations,
                       format_count(schedule.header().blocks), schedule.header().blocks == 1 ? "" : "s");
}

} // namespace

void add_simulate_options(CLI::App& verb, SimulateArguments& arguments) {
    std::string table = "LogGOPS parameters, such as \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\":";
    for (const LogGOPSParameter& row : loggops_parameters()) {
        table += fmt::format("\n  {} ({}): {}", row.name, row.unit, row.meaning);
    }
    std::string machines;
    for (const NamedLogGOPS& set : published_loggops())
        machines += fmt::format("{}{}", machines.empty() ? "" : ", ", set.name);
    const char* const group = "Machine";
    verb.add_option("--on", arguments.on, "Machine whose published LogGOPS parameters to use: " + machines)
        ->group(group);
    verb.add_option("--loggops", arguments.loggops, table)->group(group);
    verb.add_option("--model", arguments.model,
                    "logp, loggp, loggps or loggops: leave out what that model lacks")
        ->capture_default_str()
        ->group(group);
    verb.add_option("--rendezvous", arguments.rendezvous,
                    "How a message larger than S is sent: sender-waits (as LogGOPSim) or handshake (request, "
                    "clear to send, data)")
        ->capture_default_str()
        ->group(group);
    const char* const noise_group = "OS noise";
    verb.add_option(
            "--noise", arguments.noise,
            "Inject detours: \"period=1ms duration=25us\", with interval=exponential or length=exponential "
            "if wanted")
        ->group(noise_group);
    verb.add_option(
            "--noise-file", arguments.noise_file,
            "Inject the detours of a measured trace: lines \"<start> <duration>\" in ns, repeated for ever")
        ->group(noise_group);
    verb.add_option("--noise-seed", arguments.seed, "Seed of the noise; the same seed gives the same result")
        ->capture_default_str()
        ->group(noise_group);
    verb.add_flag("--noise-coscheduled", arguments.noise_coscheduled,
                  "All ranks have their detours at the same times")
        ->group(noise_group);
    const char* const output = "Output";
    verb.add_flag("--json", arguments.json, "Print one JSON object instead of words")->group(output);
    verb.add_flag("--per-rank", arguments.per_rank, "Also the times of every rank")->group(output);
    verb.add_flag(
            "--critical-path", arguments.critical_path,
            "Also the critical path, what it is made of, and how sensitive the run time is to each parameter")
        ->group(output);
    verb.add_option(
            "--timeline", arguments.timelines,
            "Draw the run: x.svg (a picture) or x.pftrace (open it at ui.perfetto.dev); may be repeated")
        ->group(output);
    verb.add_option("--timeline-ranks", arguments.timeline_ranks, "Ranks in the picture, such as 0-15")
        ->group(output);
    verb.add_option("--timeline-from", arguments.timeline_from, "Start of the picture, such as 10us")
        ->group(output);
    verb.add_option("--timeline-to", arguments.timeline_to, "End of the picture")->group(output);
    verb.add_flag("--quiet", arguments.quiet, "No progress bar")->group(output);
}

void check_simulate_arguments(const SimulateArguments& arguments) {
    (void)parameters_of(arguments);
    (void)noise_of(arguments);
    for (const std::string& path : arguments.timelines) (void)timeline_kind(path);
    (void)svg_options({}, arguments);
}

void run_and_report(const Schedule& schedule, const std::string& what, const SimulateArguments& arguments) {
    SimulationOptions options;
    options.loggops = parameters_of(arguments);
    const std::unique_ptr<Noise> noise = noise_of(arguments);
    options.noise = noise.get();
    Recording recording;
    const bool record = arguments.critical_path || !arguments.timelines.empty();
    if (record) options.recording = &recording;
    ProgressBar bar(schedule.operations(), schedule.operations() + schedule.sends(), !arguments.quiet);
    options.progress = [&bar](std::uint64_t done, Time now) { bar.show(done, now); };

    const Prediction prediction = simulate(schedule, options);
    bar.wipe();

    ReportContext context{what, options.loggops, noise ? noise->describe() : std::string(), held(schedule),
                          arguments.per_rank};
    std::optional<CriticalPath> path;
    if (record) path = critical_path(recording, options.loggops);
    for (const std::string& file : arguments.timelines) {
        if (timeline_kind(file) == TimelineKind::svg) {
            write_timeline_svg(recording, options.loggops, &*path, svg_options(what, arguments), file);
        } else {
            write_timeline_perfetto(recording, file);
        }
    }
    if (arguments.json) {
        nlohmann::json json = to_json(prediction, context);
        if (arguments.critical_path) json["critical_path"] = *path;
        fmt::print("{}\n", json.dump());
        return;
    }
    fmt::print("{}", summary(prediction, context));
    if (arguments.critical_path) fmt::print("{}", summary(*path));
    for (const std::string& file : arguments.timelines) fmt::print("  timeline        {}\n", file);
    if (arguments.per_rank) print_per_rank(prediction);
}

} // namespace orrery::cli
