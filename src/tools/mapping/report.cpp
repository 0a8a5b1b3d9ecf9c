#include "tools/mapping/report.h"

#include "engine/units.h"
#include "observe/summary_lines.h"
#include "tools/mapping/verdict.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

using SearchJson = nlohmann::ordered_json;

std::string gain_words(const MappingResult& row, const SearchReport& report) {
    const std::optional<double> gain = gain_over_block(row, report.results);
    return gain ? fmt::format("{:+.2f} %", 100 * *gain + 0.0) : std::string("-");
}

std::string search_heading(const SearchReport& report, std::size_t width) {
    const std::string replayed = report.replayed ? fmt::format("  {:>11}  {:>9}", "replayed", "gain") : "";
    return fmt::format("  {:>4}  {:<{}}{}  {:>11}  {:>9}  {:>5}  {:>7}  {:>11}  {}\n", "", "mapping", width,
                       replayed, "estimate", "hop-bytes", "hops", "on host", "worst link", "which is");
}

std::string search_row(std::size_t place, const SearchReport& report, std::size_t width) {
    const MappingResult& row = report.results[place];
    std::string replayed;
    if (report.replayed) {
        replayed = fmt::format("  {:>11}  {:>9}", row.replayed ? format_time(*row.replayed) : std::string("-"),
                               gain_words(row, report));
    }
    return fmt::format("  {:>4}  {:<{}}{}  {:>11}  {:>9}  {:>5.2f}  {:>5.1f} %  {:>11}  {}\n", place + 1,
                       row.name, width, replayed, format_time(row.time),
                       format_bytes(static_cast<Bytes>(row.hop_bytes)), row.mean_hops, 100 * row.local,
                       format_time(row.worst_link_time), row.worst_link);
}

// Where the estimate and the replay disagree on the best.
std::string disagreement(const std::vector<MappingResult>& results) {
    const auto screened = std::find_if(results.begin(), results.end(),
                                       [](const MappingResult& each) { return each.screening_place == 1; });
    if (screened == results.begin() || screened == results.end() || !screened->replayed ||
        screened->replayed == results.front().replayed)
        return {};
    return fmt::format("  the estimate puts {} first; replayed, it is number {}\n", screened->name,
                       screened - results.begin() + 1);
}

std::string counted(const SearchReport& report) {
    const auto replayed = std::count_if(report.results.begin(), report.results.end(),
                                        [](const MappingResult& each) { return each.replayed.has_value(); });
    if (report.replayed)
        return fmt::format("{} mappings, {} of them replayed and ranked by that, the fastest first",
                           report.results.size(), replayed);
    return fmt::format("{} mappings, ranked by an estimate, the fastest first", report.results.size());
}

} // namespace

std::string search_words(const SearchReport& report, std::size_t shown) {
    const std::vector<MappingResult>& results = report.results;
    std::string out = fmt::format("{}\n  on {}, {}\n", report.pattern, report.machine, report.network);
    for (const std::string& each : report.warnings) summary_warning(out, SummaryStyle{}, each);
    if (const auto verdict = mapping_verdict(results)) out += fmt::format("  {}\n", verdict->words);
    out += fmt::format("  {}:\n", counted(report));
    std::size_t width = 7;
    for (const MappingResult& each : results) width = std::max(width, each.name.size());
    out += search_heading(report, width);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool last = i + 1 == results.size();
        if (i == shown && !last) out += fmt::format("  {:>4}\n", "...");
        if (i < shown || last) out += search_row(i, report, width);
    }
    if (report.replayed) {
        out += disagreement(results);
        out +=
            "  replayed: the trace itself; gain: over block; estimate: all messages of the run start at once\n";
        return out;
    }
    if (results.size() > 1 && results.front().time > Time::zero()) {
        out += fmt::format("  the slowest takes {:.3g} times as long as the fastest\n",
                           results.back().time.seconds() / results.front().time.seconds());
    }
    out += fmt::format("  estimate: all messages start at once, without computation or costs of MPI ({})\n",
                       report.not_replayed_because);
    return out;
}

std::string search_csv(const SearchReport& report) {
    std::string out = "place,mapping,replayed_ps,gain_over_block,estimate_ps,screening_place,hop_bytes,"
                      "mean_hops,local,worst_link,worst_link_ps\n";
    for (std::size_t i = 0; i < report.results.size(); ++i) {
        const MappingResult& row = report.results[i];
        const std::optional<double> gain = gain_over_block(row, report.results);
        out +=
            fmt::format("{},{},{},{},{},{},{:.0f},{:.6g},{:.6g},\"{}\",{}\n", i + 1, row.name,
                        row.replayed ? std::to_string(row.replayed->ps()) : std::string(),
                        gain ? fmt::format("{:.6g}", *gain) : std::string(), row.time.ps(), row.screening_place,
                        row.hop_bytes, row.mean_hops, row.local, row.worst_link, row.worst_link_time.ps());
    }
    return out;
}

SearchJson search_json(const SearchReport& report) {
    SearchJson rows = SearchJson::array();
    for (const MappingResult& row : report.results) {
        const SearchJson replayed = row.replayed ? SearchJson(row.replayed->ps()) : SearchJson(nullptr);
        const std::optional<double> gain = gain_over_block(row, report.results);
        rows.push_back({{"mapping", row.name},
                        {"predicted_time_ps", report.replayed ? replayed : SearchJson(row.time.ps())},
                        {"replayed_time_ps", replayed},
                        {"gain_over_block", gain ? SearchJson(*gain) : SearchJson(nullptr)},
                        {"estimated_time_ps", row.time.ps()},
                        {"screening_place", row.screening_place},
                        {"hop_bytes", row.hop_bytes},
                        {"mean_hops", row.mean_hops},
                        {"local_fraction", row.local},
                        {"worst_link", row.worst_link},
                        {"worst_link_time_ps", row.worst_link_time.ps()}});
    }
    SearchJson out{{"pattern", report.pattern},
                   {"warnings", report.warnings},
                   {"machine", report.machine},
                   {"network", report.network},
                   {"ranked_by", report.replayed ? "replay" : "estimate"}};
    if (const auto verdict = mapping_verdict(report.results)) {
        out["verdict"] = verdict->words;
        out["use"] = verdict->use;
        out["gain_over_block"] = verdict->gain;
        out["spread"] = verdict->spread;
    }
    out["mappings"] = std::move(rows);
    return out;
}

} // namespace orrery
