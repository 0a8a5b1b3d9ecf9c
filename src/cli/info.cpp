// `orrery info`: what is in a schedule, a time-independent trace or a run directory.
#include "cli/info_run.h"
#include "cli/info_trace.h"
#include "cli/inputs.h"
#include "cli/schedule_progress.h"
#include "cli/size_words.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/units.h"
#include "formats/formats.h"
#include "formats/trace.h"
#include "observe/json_text.h"
#include "workload/schedule_statistics.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace orrery::cli {

namespace {

// The file itself, apart from what is in it.
struct ScheduleFile {
    std::string path;
    ScheduleFormat format = ScheduleFormat::goal_text;
    std::optional<std::uint64_t> bytes;    // not of a pipe
    std::optional<std::uint64_t> programs; // distinct ones, known to the compact format

    [[nodiscard]] std::optional<double> bytes_per_operation(const ScheduleStatistics& counts) const {
        if (!bytes || counts.operations() == 0) return std::nullopt;
        return static_cast<double>(*bytes) / static_cast<double>(counts.operations());
    }
};

ScheduleFile look_at(const std::string& path) {
    ScheduleFile file{path, detect_format(path), std::nullopt, std::nullopt};
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) file.bytes = std::filesystem::file_size(path);
    if (file.format == ScheduleFormat::compact) file.programs = Schedule::open(path).header().blocks;
    return file;
}

std::string schedule_computation_words(const ScheduleStatistics& counts) {
    return fmt::format("{} in all, the longest {}", format_picoseconds(counts.computation_seconds() * 1e12),
                       format_picoseconds(static_cast<double>(counts.longest_computation_ps())));
}

void print_schedule_text(const ScheduleFile& file, const ScheduleStatistics& counts) {
    const auto line = [](std::string_view what, const std::string& words) {
        fmt::print("  {:<14} {}\n", what, words);
    };
    fmt::print("{}: {}{}\n", file.path, name_of(file.format),
               file.bytes ? ", " + format_bytes(*file.bytes) : "");
    line("ranks",
         format_count(counts.ranks()) +
             (counts.idle_ranks() == 0 ? ""
                                       : fmt::format(", {} of them idle", format_count(counts.idle_ranks()))));
    if (file.programs) line("programs", fmt::format("{} distinct", format_count(*file.programs)));
    line("operations",
         fmt::format("{}: {} send, {} recv, {} calc; at most {} in a rank", format_count(counts.operations()),
                     format_count(counts.sends()), format_count(counts.recvs()), format_count(counts.calcs()),
                     format_count(counts.largest_rank())));
    if (counts.sends() > 0) {
        line("messages",
             fmt::format("{}, {} in all", format_count(counts.sends()), format_bytes(counts.bytes_sent())));
        line("message sizes",
             fmt::format("{} to {}, median {}", format_bytes(counts.smallest_message()),
                         format_bytes(counts.largest_message()), bucket_words(counts.median_bucket())));
        line("", histogram_words(counts.message_sizes()));
        line("tags", fmt::format("{}{}, from {} to {}",
                                 counts.tags() == ScheduleStatistics::most_tags ? "at least " : "",
                                 format_count(counts.tags()), counts.smallest_tag(), counts.largest_tag()));
    }
    if (counts.any_source_recvs() + counts.any_tag_recvs() > 0) {
        line("wildcards",
             fmt::format("{} receives from any source, {} of any tag", format_count(counts.any_source_recvs()),
                         format_count(counts.any_tag_recvs())));
    }
    if (counts.calcs() > 0) line("computation", schedule_computation_words(counts));
    line("dependencies", fmt::format("{} requires, {} irequires", format_count(counts.requires_count()),
                                     format_count(counts.irequires_count())));
    line("per rank", fmt::format("{} CPU{}, {} NIC{}", counts.cpus(), counts.cpus() == 1 ? "" : "s",
                                 counts.nics(), counts.nics() == 1 ? "" : "s"));
    if (const auto bytes = file.bytes_per_operation(counts))
        line("file", fmt::format("{:.3g} bytes per operation", *bytes));
}

constexpr const char* only_for_traces =
    "--matrix, --rates and --allow-truncated are for time-independent traces";

void print_schedule_json(const ScheduleFile& file, const ScheduleStatistics& counts) {
    using Json = nlohmann::ordered_json;
    const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
    Json out;
    out["file"] = file.path;
    out["format"] = name_of(file.format);
    out["file_bytes"] = or_null(file.bytes);
    out["bytes_per_operation"] = or_null(file.bytes_per_operation(counts));
    out["ranks"] = counts.ranks();
    out["idle_ranks"] = counts.idle_ranks();
    out["distinct_programs"] = or_null(file.programs);
    out["operations"] = counts.operations();
    out["operations_of_largest_rank"] = counts.largest_rank();
    out["sends"] = counts.sends();
    out["recvs"] = counts.recvs();
    out["calcs"] = counts.calcs();
    out["messages"] = counts.sends();
    out["bytes_sent"] = counts.bytes_sent();
    out["smallest_message"] = counts.smallest_message();
    out["largest_message"] = counts.largest_message();
    out["message_sizes"] = histogram_json(counts.message_sizes());
    out["computation_seconds"] = counts.computation_seconds();
    out["longest_computation_ps"] = counts.longest_computation_ps();
    out["requires"] = counts.requires_count();
    out["irequires"] = counts.irequires_count();
    out["cpus"] = counts.cpus();
    out["nics"] = counts.nics();
    out["tags"] = {{"distinct", counts.tags()},
                   {"counted_all", counts.tags() < ScheduleStatistics::most_tags},
                   {"smallest", counts.smallest_tag()},
                   {"largest", counts.largest_tag()}};
    out["any_source_recvs"] = counts.any_source_recvs();
    out["any_tag_recvs"] = counts.any_tag_recvs();
    fmt::print("{}\n", json_text(out, 2));
}

} // namespace

void add_info(const Verb& app) {
    const Verb verb = app.add_subcommand("info", "Show what is in a trace, a schedule or a run directory");
    verb.group("Record and convert");
    auto info = std::make_shared<TraceInfo>();
    verb.add_option("file", info->path,
                    "A trace (a folder, text, .oti, .ort, .dim, .prv), a schedule (.goal, .bin, .orr) or a run "
                    "directory "
                    "(-o DIR). - is the standard input (GOAL text)")
        .type_name("TRACE")
        .required();
    verb.add_flag("--json", info->json, "Print one JSON object, with the full histogram of message sizes");
    verb.add_option("--matrix", info->matrix,
                    "Traces: write who sends how much to whom: x.svg (a picture), x.csv or x.json (each pair)")
        .type_name("FILE");
    verb.add_flag("--matrix-collectives", info->matrix_collectives,
                  "Count the messages of collectives too, in the matrix and in the list of neighbours");
    verb.add_option("--collective,--collectives", info->collectives,
                    "With --matrix-collectives: their algorithms, as in 'orrery replay'; may be repeated")
        .type_name("CHOICE")
        .completes({"openmpi", "mpich"})
        .one_each_time();
    verb.add_option(
            "--rates", info->rates,
            "Traces recorded with --timed: write the rate of computation by the size of bursts: x.svg (a "
            "picture) or x.csv")
        .type_name("FILE");
    verb.add_flag("--allow-truncated", info->allow_truncated, "Accept a recorded trace that was cut off");
    verb.examples({"orrery info heat.trace",
                   "orrery info traces/ --matrix who-to-whom.svg --matrix-collectives",
                   "orrery info app.orr --json | jq .bytes_sent", "orrery info halo-on-odin",
                   "orrery info app.ort --rates rates.svg"});
    verb.notes("The file may be larger than memory: it is read in order, once or a few times.");
    verb.callback([info] {
        check_trace_info(*info);
        const bool json = info->json;
        expect_inputs(std::span(&info->path, 1));
        const bool of_trace =
            !info->matrix.empty() || info->matrix_collectives || !info->rates.empty() || info->allow_truncated;
        if (is_run_directory(info->path)) {
            if (of_trace) throw UsageError(only_for_traces);
            print_run_info(info->path, json);
            return;
        }
        if (info->path != "-" && looks_like_ti(info->path)) {
            print_trace_info(*info);
            return;
        }
        if (of_trace) throw UsageError(only_for_traces);
        const ScheduleFile file = look_at(info->path);
        ScheduleStatistics counts;
        {
            ScheduleProgress progress(counts);
            read_schedule_file(file.path, file.format, progress);
        }
        json ? print_schedule_json(file, counts) : print_schedule_text(file, counts);
    });
}

} // namespace orrery::cli
