#include "tools/traffic/report.h"

#include "engine/units.h"
#include "observe/summary_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

std::string latency_words(double picoseconds) { return format_picoseconds(picoseconds); }

std::string share_words(double share) { return fmt::format("{:.1f} %", 100 * share); }

nlohmann::json point_json(const TrafficPoint& point) {
    return {{"load", point.load},
            {"offered", point.offered},
            {"accepted", point.accepted},
            {"messages", point.messages},
            {"arrived", point.arrived},
            {"mean_latency_ps", point.mean_latency},
            {"median_latency_ps", point.median.ps()},
            {"p95_latency_ps", point.p95.ps()},
            {"p99_latency_ps", point.p99.ps()},
            {"longest_latency_ps", point.longest.ps()},
            {"saturated", point.saturated}};
}

} // namespace

std::string traffic_words(const TrafficQuestion& question, const TrafficCurve& curve) {
    std::string words = fmt::format("{} traffic, {} arrivals, messages of {} on {}\n", question.pattern,
                                    question.arrivals, format_bytes(question.bytes), question.machine);
    for (const std::string& each : question.warnings) summary_warning(words, SummaryStyle{}, each);
    words += fmt::format("  network         {}\n", question.network);
    words += fmt::format("  load 1          {} of each of {} hosts\n", format_bandwidth(question.bandwidth),
                         format_count(question.senders));
    words += fmt::format("  zero load       {} mean latency\n", latency_words(curve.zero_load_latency));
    if (curve.saturation) {
        words += fmt::format(
            "  saturation      at load {:.3f} (up to there at least {:.0f} % of what is offered arrives)\n",
            *curve.saturation, 100 * question.kept_up);
    }
    if (curve.at_full_load) {
        words += fmt::format("  at load 1       {} accepted\n", share_words(*curve.at_full_load));
    }
    words += fmt::format("\n{:>8} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "load", "accepted", "mean", "median",
                         "95 %", "99 %");
    for (const TrafficPoint& point : curve.points) {
        words += fmt::format("{:>8.3f} {:>10} {:>12} {:>12} {:>12} {:>12}{}\n", point.load,
                             share_words(point.accepted), latency_words(point.mean_latency),
                             format_time(point.median), format_time(point.p95), format_time(point.p99),
                             point.saturated ? "  saturated" : "");
    }
    return words;
}

nlohmann::json traffic_json(const TrafficQuestion& question, const TrafficCurve& curve) {
    nlohmann::json json{{"machine", question.machine},      {"network", question.network},
                        {"pattern", question.pattern},      {"arrivals", question.arrivals},
                        {"bytes", question.bytes},          {"injection_bytes_per_second", question.bandwidth},
                        {"senders", question.senders},      {"seed", question.seed},
                        {"warnings", question.warnings},    {"zero_load_latency_ps", curve.zero_load_latency},
                        {"points", nlohmann::json::array()}};
    if (curve.saturation) json["saturation_load"] = *curve.saturation;
    if (curve.at_full_load) json["accepted_at_full_load"] = *curve.at_full_load;
    for (const TrafficPoint& point : curve.points) json["points"].push_back(point_json(point));
    return json;
}

std::string traffic_csv(const TrafficCurve& curve) {
    std::string text =
        "load,offered,accepted,messages,arrived,mean_ps,median_ps,p95_ps,p99_ps,longest_ps,saturated\n";
    for (const TrafficPoint& point : curve.points) {
        text +=
            fmt::format("{},{:.6f},{:.6f},{},{},{:.1f},{},{},{},{},{}\n", point.load, point.offered,
                        point.accepted, point.messages, point.arrived, point.mean_latency, point.median.ps(),
                        point.p95.ps(), point.p99.ps(), point.longest.ps(), point.saturated ? 1 : 0);
    }
    return text;
}

std::vector<Chart> traffic_charts(const TrafficQuestion& question, const TrafficCurve& curve) {
    Chart latency;
    latency.title = fmt::format("{} traffic on {}", question.pattern, question.machine);
    latency.note = fmt::format("messages of {}, {} arrivals", format_bytes(question.bytes), question.arrivals);
    latency.x = {"offered load, share of the injection bandwidth", Measure::plain, false};
    latency.y = {"latency", Measure::time, true};
    ChartSeries mean{"mean", {}};
    ChartSeries tail{"99 %", {}};
    Chart throughput;
    throughput.title = "Throughput";
    throughput.note = question.network;
    throughput.x = latency.x;
    throughput.y = {"accepted load", Measure::plain, false};
    ChartSeries accepted{"accepted", {}};
    ChartSeries offered{"offered", {}};
    for (const TrafficPoint& point : curve.points) {
        const auto add = [&](ChartSeries& series, double y) { series.points.push_back({point.load, y, y, y}); };
        add(accepted, point.accepted);
        add(offered, point.offered);
        // Behind saturation a latency says how long the run was, and no more.
        if (point.saturated || point.arrived == 0) continue;
        add(mean, point.mean_latency * 1e-12);
        add(tail, point.p99.seconds());
    }
    throughput.series = {std::move(accepted), std::move(offered)};
    if (mean.points.empty()) return {throughput};
    latency.series = {std::move(mean), std::move(tail)};
    return {latency, throughput};
}

} // namespace orrery
