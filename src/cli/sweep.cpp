// `orrery sweep`: a study over a grid of machines, parameters, mappings, algorithms.
#include "tools/sweep/sweep.h"

#include "cli/inputs.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "engine/plural.h"
#include "engine/terminal.h"
#include "engine/units.h"
#include "observe/chart.h"
#include "observe/json_text.h"
#include "observe/summary_lines.h"
#include "tools/sweep/study_plot.h"
#include "tools/sweep/study_table.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>

namespace orrery::cli {

namespace {

struct SweepArguments {
    std::string study;
    std::string database;
    std::string csv;
    std::string plot;
    std::string x; // of the plot, instead of what the study says
    std::string y;
    std::uint32_t jobs = 0;
    bool force = false;
    bool dry_run = false;
    bool report = false;
    bool json = false;
};

constexpr const char* program_version = "orrery " ORRERY_VERSION;

// How far it has come, on a terminal.
class SweepBar {
  public:
    explicit SweepBar(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) == 1) {}
    SweepBar(const SweepBar&) = delete;
    SweepBar& operator=(const SweepBar&) = delete;
    ~SweepBar() {
        if (shown_) fmt::print(stderr, "\r\x1b[K");
    }

    void show(const SweepProgress& progress) {
        const auto now = std::chrono::steady_clock::now();
        if (!active_ || now < next_ || progress.total == 0) return;
        next_ = now + std::chrono::milliseconds(250);
        shown_ = true;
        constexpr std::size_t width = 30;
        const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
        const double seconds = std::chrono::duration<double>(now - start_).count();
        const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
        std::string words =
            fmt::format("[{}{}] {} of {} points, {} running", std::string(filled, '='),
                        std::string(width - filled, ' '), progress.done, progress.total, progress.running);
        if (progress.failed > 0) words += fmt::format(", {} failed", progress.failed);
        if (share > 0) words += fmt::format(", {:.0f} s left", seconds * (1 - share) / share);
        fmt::print(stderr, "\r{}\x1b[K", words);
        std::fflush(stderr);
    }

  private:
    bool active_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point next_ = start_ + std::chrono::seconds(1);
};

void list_points(const Study& study, const std::vector<StudyPoint>& points, const std::string& database) {
    std::unique_ptr<StudyDatabase> known;
    if (std::filesystem::exists(database)) known = std::make_unique<StudyDatabase>(database, true);
    std::size_t missing = 0;
    for (const StudyPoint& point : points) {
        const std::optional<PointResult> result = known ? known->find(point.hash) : std::nullopt;
        const bool answered = result && result->status != PointStatus::lost;
        if (!answered) ++missing;
        std::string words;
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
            words += fmt::format("  {} = {}", study.axes[axis].name,
                                 study.axes[axis].values[point.grid.at[axis]].label);
        }
        fmt::print("{:<8}{}{}\n", answered ? name_of(result->status) : "to run", point.hash.substr(0, 8),
                   words);
    }
    fmt::print("{}: {} points, {} to run\n", study.name, points.size(), missing);
}

// Each once, with the number of points that it holds for.
void print_warnings(const std::vector<StudyRow>& rows) {
    std::vector<std::pair<std::string, std::size_t>> counted;
    std::size_t answered = 0;
    for (const StudyRow& row : rows) {
        if (!row.result || row.result->status != PointStatus::ok) continue;
        ++answered;
        for (const std::string& warning : row.result->warnings) {
            const auto known = std::find_if(counted.begin(), counted.end(),
                                            [&](const auto& each) { return each.first == warning; });
            known == counted.end() ? void(counted.emplace_back(warning, 1)) : void(++known->second);
        }
    }
    SummaryStyle style;
    style.colour = shows_colour(stdout);
    std::string text;
    for (const auto& [warning, points] : counted) {
        summary_warning(text, style,
                        points == answered ? warning
                                           : fmt::format("at {} of {} points: {}", points, answered, warning));
    }
    fmt::print("{}", text);
}

void print_summary(const Study& study, const std::vector<StudyRow>& rows, const SweepSummary& summary) {
    std::string words = fmt::format("{} points", summary.points);
    if (summary.distinct < summary.points) words += fmt::format(" ({} distinct)", summary.distinct);
    fmt::print("{}: {}, {} run now, {} known before\n", study.name, words, summary.run, summary.known);
    const StudyRow* fastest = nullptr;
    const StudyRow* slowest = nullptr;
    for (const StudyRow& row : rows) {
        if (!row.result || row.result->status != PointStatus::ok) continue;
        if (fastest == nullptr || row.result->time < fastest->result->time) fastest = &row;
        if (slowest == nullptr || row.result->time > slowest->result->time) slowest = &row;
    }
    print_warnings(rows);
    if (fastest == nullptr) return;
    fmt::print("  fastest         {}   ({})\n", format_time(fastest->result->time),
               fmt::join(fastest->labels, ", "));
    fmt::print("  slowest         {}   ({})\n", format_time(slowest->result->time),
               fmt::join(slowest->labels, ", "));
}

// As if the signal had not been held up, so that the shell knows.
[[noreturn]] void stop_sweep(const SweepArguments& arguments, const SweepSummary& summary, int signal) {
    fmt::print(
        stderr,
        "orrery: stopped; {} of {} points have their results in the database. To go on: orrery sweep {}\n",
        summary.known + summary.run, summary.distinct, arguments.study);
    std::fflush(stdout);
    std::fflush(stderr);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    std::abort();
}

void sweep_verb(const SweepArguments& arguments) {
    expect_study(arguments.study, "");
    Study study = read_study(arguments.study);
    if (!arguments.x.empty()) set_plot_x(study, arguments.x);
    if (!arguments.y.empty()) set_plot_y(study, arguments.y);
    const std::vector<StudyPoint> points = plan(study, program_version);
    SweepOptions options;
    options.program = program_version;
    options.database = arguments.database.empty() ? beside(study, ".db") : arguments.database;
    options.jobs = arguments.jobs;
    options.force = arguments.force;
    explain("study {}: {}; results in {}", arguments.study, plural(points.size(), "point"), options.database);
    if (arguments.dry_run) return list_points(study, points, options.database);

    SweepSummary summary;
    if (!arguments.report) {
        SweepBar bar(!quiet());
        summary = sweep(study, points, options, [&bar](const SweepProgress& progress) { bar.show(progress); });
    }
    if (arguments.report && !std::filesystem::exists(options.database)) {
        throw InputError(fmt::format("{}: there are no results yet; run 'orrery sweep {}' first",
                                     options.database, arguments.study));
    }
    StudyDatabase database(options.database, true);
    const std::vector<StudyRow> rows = study_rows(study, points, database);
    if (arguments.report) {
        fmt::print("{}", arguments.json ? json_text(study_json(study, rows)) + "\n" : study_words(study, rows));
        return;
    }
    const std::string csv = arguments.csv.empty() ? beside(study, ".csv") : arguments.csv;
    const std::string plot = arguments.plot.empty() ? beside(study, ".svg") : arguments.plot;
    write_file(csv, study_csv(study, rows));
    write_file(plot, draw_chart(study_chart(study, rows)));
    if (arguments.json) {
        fmt::print("{}\n", json_text(study_json(study, rows)));
    } else {
        print_summary(study, rows, summary);
        fmt::print("  written         {}, {}, {}\n", options.database, csv, plot);
    }
    if (summary.stopped_by != 0) stop_sweep(arguments, summary, summary.stopped_by);
    if (summary.failed > 0) {
        for (const StudyRow& row : rows) {
            if (!row.result || row.result->status == PointStatus::ok) continue;
            throw SimulationError(fmt::format("{} of {} points failed, the first at ({}): {}\n'orrery sweep {} "
                                              "--report' shows all",
                                              summary.failed, summary.distinct, fmt::join(row.labels, ", "),
                                              row.result->message, arguments.study));
        }
    }
}

} // namespace

void add_sweep(const Verb& app) {
    const auto arguments = std::make_shared<SweepArguments>();
    const Verb verb =
        app.add_subcommand("sweep", "Run a study: one question over a grid of machines and parameters");
    verb.group("Studies");
    verb.add_option("study", arguments->study, "The study (TOML; docs/sweep.md): what runs, and what varies")
        .type_name("STUDY")
        .required();
    verb.add_option("-j,--jobs", arguments->jobs,
                    "Points at a time; otherwise one for each core, as memory allows")
        .range(1U, 4096U);
    verb.add_flag("--force", arguments->force, "Run all points again, also those that have a result");
    verb.add_flag("--dry-run", arguments->dry_run, "Only list the points, and which of them would run");
    verb.add_flag("--report", arguments->report, "Only print the results that are there, as a table");
    const char* const output = "Output";
    verb.add_option("--db", arguments->database, "Database of results [STUDY.db next to the study]")
        .type_name("FILE")
        .group(output);
    verb.add_option("--csv", arguments->csv, "Table of results [STUDY.csv next to the study]")
        .type_name("FILE")
        .group(output);
    verb.add_option("--plot", arguments->plot, "Picture of the results [STUDY.svg next to the study]")
        .type_name("FILE")
        .group(output);
    verb.add_option("--x", arguments->x,
                    "What the picture runs along: an axis, or ranks over several workloads")
        .type_name("AXIS")
        .group(output);
    verb.add_option("--y", arguments->y, "What the picture shows: time, speedup, scaling, ... (docs/sweep.md)")
        .type_name("QUANTITY")
        .group(output);
    verb.add_flag("--json", arguments->json, "Print one JSON object instead of text").group(output);
    add_verbosity(verb);
    verb.examples({"orrery sweep study.toml --jobs 8", "orrery sweep study.toml --report"});
    verb.notes(
        "Run the same command again to continue an interrupted study. A point runs again when its inputs "
        "(traces, machine files, hostfiles, the program) have changed. Exit code 1: some points failed.");
    verb.callback([arguments] { sweep_verb(*arguments); });
}

} // namespace orrery::cli
