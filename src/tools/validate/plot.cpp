#include "tools/validate/plot.h"

#include "tools/validate/report.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

// The number of ranks is said only where it tells bars apart.
std::vector<std::string> bar_labels(const std::vector<ValidationResult>& results) {
    const auto other = [&](const ValidationResult& each) {
        return each.application.ranks != results.front().application.ranks;
    };
    const bool varied = std::any_of(results.begin(), results.end(), other);
    std::vector<std::string> labels;
    for (const ValidationResult& each : results) {
        labels.push_back(varied ? fmt::format("{} {}", each.application.name, each.application.ranks)
                                : each.application.name);
        if (!measurement_problem(each).empty()) labels.back() += " (unusable)";
    }
    return labels;
}

std::string chart_warning(const std::vector<ValidationResult>& results) {
    std::string unusable;
    for (const ValidationResult& each : results) {
        const std::string problem = measurement_problem(each);
        if (problem.empty()) continue;
        if (results.size() == 1) return "measurement unusable: " + problem;
        unusable += fmt::format("{}{}", unusable.empty() ? "" : "; ", title_of(each.application));
    }
    return unusable.empty() ? unusable
                            : "measurement unusable, runs differ by more than the error: " + unusable;
}

template <typename Value>
ChartSeries series_of(std::string label, const std::vector<ValidationResult>& results, Value&& value) {
    ChartSeries series{std::move(label), {}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const double y = value(results[i]);
        series.points.push_back({static_cast<double>(i), y, y, y});
    }
    return series;
}

std::string ranks_words(const std::vector<ValidationResult>& results) {
    std::vector<std::uint32_t> ranks;
    for (const ValidationResult& each : results) ranks.push_back(each.application.ranks);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return fmt::format("{} rank{}", fmt::join(ranks, ", "), ranks == std::vector<std::uint32_t>{1} ? "" : "s");
}

} // namespace

Chart time_chart(const ValidationPlan& plan, const std::vector<ValidationResult>& results) {
    Chart chart;
    chart.title = fmt::format("{}: measured and predicted", plan.name);
    chart.warning = chart_warning(results);
    chart.note = fmt::format("{}, {}, {} runs", plan.simulation.machine, ranks_words(results), plan.runs);
    chart.width = 640;
    chart.x.words = "application";
    chart.y = {"run time", Measure::time, false};
    chart.categories = bar_labels(results);
    ChartSeries measured = series_of("measured", results, [](const auto& each) { return each.clean.mean; });
    for (std::size_t i = 0; i < results.size(); ++i) {
        for (const std::size_t run : results[i].clean.kept) {
            measured.points[i].low = std::min(measured.points[i].low, results[i].runs[run]);
            measured.points[i].high = std::max(measured.points[i].high, results[i].runs[run]);
        }
    }
    chart.series.push_back(std::move(measured));
    chart.series.push_back(
        series_of("predicted", results, [](const auto& each) { return each.predicted.seconds(); }));
    return chart;
}

Chart error_chart(const ValidationPlan& plan, const std::vector<ValidationResult>& results) {
    Chart chart;
    chart.title = fmt::format("{}: errors, and what they are made of", plan.name);
    chart.warning = chart_warning(results);
    chart.width = 640;
    chart.x.words = "application";
    chart.y.words = "error in % of the measured time";
    chart.categories = bar_labels(results);
    chart.series.push_back(series_of("error", results, [](const auto& each) { return 100 * each.error; }));
    const auto split = std::all_of(results.begin(), results.end(), [](const auto& each) { return each.exact; });
    if (!split) return chart;
    chart.series.push_back(series_of("computation", results,
                                     [](const auto& each) { return 100 * each.exact->split.computation; }));
    chart.series.push_back(series_of("communication", results,
                                     [](const auto& each) { return 100 * each.exact->split.communication; }));
    chart.series.push_back(
        series_of("traced run", results, [](const auto& each) { return 100 * each.exact->split.traced_run; }));
    return chart;
}

std::string draw_validation(const ValidationPlan& plan, const std::vector<ValidationResult>& results) {
    const std::vector<Chart> charts{time_chart(plan, results), error_chart(plan, results)};
    return draw_charts(charts);
}

} // namespace orrery
