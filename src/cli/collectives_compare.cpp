#include "cli/collectives_compare.h"

#include "engine/units.h"
#include "observe/chart.h"
#include "observe/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery::cli {

namespace {

CollectiveCall call_of(Collective operation, std::span<const std::uint32_t> node_of, Bytes bytes,
                       std::vector<Bytes>& counts) {
    CollectiveCall call;
    call.operation = operation;
    call.size = static_cast<std::uint32_t>(node_of.size());
    call.node_of = node_of;
    call.bytes = bytes;
    call.element = bytes % 8 == 0 ? 8 : 1;
    counts.assign(node_of.size(), bytes);
    call.receive_counts = counts;
    call.send_counts = counts;
    return call;
}

// The shortest time of a column.
std::optional<Time> best(const Comparison& comparison, std::size_t column) {
    std::optional<Time> shortest;
    for (const Comparison::Row& row : comparison.rows) {
        const std::optional<Time>& time = row.times[column];
        if (time && (!shortest || *time < *shortest)) shortest = time;
    }
    return shortest;
}

bool only_in_simgrid(const Algorithm& algorithm) { return algorithm.name.starts_with("simgrid_"); }

} // namespace

std::string size_words(Bytes bytes) {
    if (bytes < 1024 || bytes % 1024 != 0) return format_bytes(bytes);
    constexpr Bytes mebi = Bytes{1024} * 1024;
    return bytes % mebi == 0 ? fmt::format("{} MiB", bytes / mebi) : fmt::format("{} KiB", bytes / 1024);
}

Comparison compare_collectives(Collective operation, std::span<const std::uint32_t> node_of,
                               std::vector<Bytes> sizes, bool all,
                               const std::function<Time(const Algorithm&, Bytes)>& time) {
    Comparison comparison{operation, static_cast<std::uint32_t>(node_of.size()), std::move(sizes), {}, {}};
    std::vector<Bytes> counts;
    for (const Algorithm& algorithm : algorithms(operation)) {
        if (only_in_simgrid(algorithm) && !all) continue;
        Comparison::Row row{&algorithm, {}};
        for (const Bytes bytes : comparison.sizes) {
            const CollectiveCall call = call_of(operation, node_of, bytes, counts);
            row.times.push_back(algorithm.applies(call) ? std::optional<Time>(time(algorithm, bytes))
                                                        : std::nullopt);
        }
        const bool any =
            std::any_of(row.times.begin(), row.times.end(), [](const auto& each) { return each.has_value(); });
        if (any) comparison.rows.push_back(std::move(row));
    }
    for (const Selector selector : {Selector::openmpi, Selector::mpich}) {
        Comparison::Selected line{selector, {}};
        for (const Bytes bytes : comparison.sizes) {
            line.algorithms.push_back(select(selector, call_of(operation, node_of, bytes, counts)).algorithm);
        }
        comparison.selected.push_back(std::move(line));
    }
    return comparison;
}

std::string comparison_table(const Comparison& comparison) {
    std::size_t name_width = 10;
    for (const Comparison::Row& row : comparison.rows)
        name_width = std::max(name_width, row.algorithm->name.size() + 2);
    constexpr std::size_t column = 15;
    std::string out = fmt::format("{:<{}}", name_of(comparison.operation), name_width);
    for (const Bytes bytes : comparison.sizes) out += fmt::format("{:>{}}", size_words(bytes), column);
    out += '\n';
    for (const Comparison::Row& row : comparison.rows) {
        out += fmt::format("{:<{}}", row.algorithm->name, name_width);
        for (std::size_t i = 0; i < row.times.size(); ++i) {
            const bool quickest = row.times[i] && row.times[i] == best(comparison, i);
            out += fmt::format(
                "{:>{}}",
                row.times[i] ? format_time(*row.times[i]) + (quickest ? "*" : " ") : std::string("- "), column);
        }
        out += '\n';
    }
    for (const Comparison::Selected& line : comparison.selected) {
        out += fmt::format("{} takes:", name_of(line.selector));
        for (std::size_t i = 0; i < line.algorithms.size(); ++i) {
            if (i > 0 && line.algorithms[i] == line.algorithms[i - 1]) continue;
            out += fmt::format("{} {} from {}", i == 0 ? "" : ",", line.algorithms[i]->name,
                               size_words(comparison.sizes[i]));
        }
        out += '\n';
    }
    return out;
}

std::string comparison_json(const Comparison& comparison) {
    nlohmann::ordered_json out;
    out["operation"] = name_of(comparison.operation);
    out["ranks"] = comparison.ranks;
    out["bytes"] = comparison.sizes;
    for (const Comparison::Row& row : comparison.rows) {
        auto times = nlohmann::ordered_json::array();
        for (const std::optional<Time>& time : row.times) {
            times.push_back(time ? nlohmann::ordered_json(time->ps()) : nlohmann::ordered_json());
        }
        out["predicted_times_ps"][std::string(row.algorithm->name)] = times;
    }
    for (const Comparison::Selected& line : comparison.selected) {
        for (const Algorithm* algorithm : line.algorithms) {
            out["selected"][std::string(name_of(line.selector))].push_back(algorithm->name);
        }
    }
    return json_text(out, 2) + "\n";
}

std::string comparison_plot(const Comparison& comparison, const std::string& machine) {
    Chart chart;
    chart.title = fmt::format("{} of {} ranks on {}", name_of(comparison.operation),
                              format_count(comparison.ranks), machine);
    chart.x = {"bytes of the call", Measure::size, true};
    chart.y = {"predicted time", Measure::time, true};
    for (const Comparison::Row& row : comparison.rows) {
        ChartSeries series{std::string(row.algorithm->name), {}};
        for (std::size_t i = 0; i < row.times.size(); ++i) {
            // A logarithmic axis has no place for nothing.
            if (!row.times[i] || *row.times[i] <= Time::zero() || comparison.sizes[i] == 0) continue;
            const double seconds = row.times[i]->seconds();
            series.points.push_back({static_cast<double>(comparison.sizes[i]), seconds, seconds, seconds});
        }
        if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
    return draw_chart(chart);
}

} // namespace orrery::cli
