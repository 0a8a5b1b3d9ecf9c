#include "study/mapping_search/report.h"

#include "engine/units.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

std::string row_words(std::size_t place, const MappingResult& row, std::size_t width) {
    return fmt::format("  {:>4}  {:<{}}  {:>11}  {:>9}  {:>5.2f}  {:>5.1f} %  {:>11}  {}\n", place + 1,
                       row.name, width, format_time(row.time), format_bytes(static_cast<Bytes>(row.hop_bytes)),
                       row.mean_hops, 100 * row.local, format_time(row.worst_link_time), row.worst_link);
}

} // namespace

std::string search_words(const SearchReport& report, std::size_t shown) {
    const std::vector<MappingResult>& results = report.results;
    std::string out = fmt::format("{}\n  on {}, {}\n  {} mappings, the fastest first:\n", report.pattern,
                                  report.machine, report.network, results.size());
    std::size_t width = 7;
    for (const MappingResult& each : results) width = std::max(width, each.name.size());
    out += fmt::format("  {:>4}  {:<{}}  {:>11}  {:>9}  {:>5}  {:>7}  {:>11}  {}\n", "", "mapping", width,
                       "time", "hop-bytes", "hops", "on host", "worst link", "which is");
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool last = i + 1 == results.size();
        if (i == shown && !last) out += fmt::format("  {:>4}\n", "...");
        if (i < shown || last) out += row_words(i, results[i], width);
    }
    if (results.size() > 1 && results.front().time > Time::zero()) {
        out += fmt::format("  the slowest takes {:.3g} times as long as the fastest\n",
                           results.back().time.seconds() / results.front().time.seconds());
    }
    return out;
}

std::string search_csv(const SearchReport& report) {
    std::string out = "place,mapping,time_ps,hop_bytes,mean_hops,local,worst_link,worst_link_ps\n";
    for (std::size_t i = 0; i < report.results.size(); ++i) {
        const MappingResult& row = report.results[i];
        out += fmt::format("{},{},{},{:.0f},{:.6g},{:.6g},\"{}\",{}\n", i + 1, row.name, row.time.ps(),
                           row.hop_bytes, row.mean_hops, row.local, row.worst_link, row.worst_link_time.ps());
    }
    return out;
}

nlohmann::ordered_json search_json(const SearchReport& report) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const MappingResult& row : report.results) {
        rows.push_back({{"mapping", row.name},
                        {"predicted_time_ps", row.time.ps()},
                        {"hop_bytes", row.hop_bytes},
                        {"mean_hops", row.mean_hops},
                        {"local_fraction", row.local},
                        {"worst_link", row.worst_link},
                        {"worst_link_time_ps", row.worst_link_time.ps()}});
    }
    return {{"pattern", report.pattern},
            {"machine", report.machine},
            {"network", report.network},
            {"mappings", std::move(rows)}};
}

Chart search_chart(const SearchReport& report) {
    Chart chart;
    chart.title = report.pattern;
    chart.note = fmt::format("{}, {}", report.machine, report.network);
    chart.x = {"mapping, the fastest first", Measure::plain, false};
    chart.y = {"time", Measure::time, false};
    ChartSeries time{"predicted", {}};
    ChartSeries bound{"worst link alone", {}};
    for (std::size_t i = 0; i < report.results.size(); ++i) {
        const auto x = static_cast<double>(i + 1);
        const double seconds = report.results[i].time.seconds();
        const double least = report.results[i].worst_link_time.seconds();
        time.points.push_back({x, seconds, seconds, seconds});
        bound.points.push_back({x, least, least, least});
    }
    chart.series = {std::move(time), std::move(bound)};
    return chart;
}

} // namespace orrery
