#include "tools/sweep/study_table.h"

#include "engine/units.h"
#include "tools/sweep/quantities.h"
#include "tools/sweep/study_plot.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

using Result = PointResult;

std::string seconds(Time time) {
    // Exact: picoseconds are twelve decimals.
    std::string text = fmt::format("{}.{:012}", time.ps() / 1'000'000'000'000, time.ps() % 1'000'000'000'000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string share(bool known, double value) { return known ? fmt::format("{:.9g}", value) : std::string(); }

struct TableColumn {
    std::string_view name;
    std::string (*text)(const Result&);
};

constexpr std::array columns{
    TableColumn{"predicted_time_s", [](const Result& r) { return seconds(r.time); }},
    TableColumn{"predicted_time_ps", [](const Result& r) { return std::to_string(r.time.ps()); }},
    TableColumn{"ranks", [](const Result& r) { return std::to_string(r.ranks); }},
    TableColumn{"messages", [](const Result& r) { return std::to_string(r.messages); }},
    TableColumn{"bytes_sent", [](const Result& r) { return std::to_string(r.bytes); }},
    TableColumn{"events", [](const Result& r) { return std::to_string(r.events); }},
    TableColumn{"mean_compute_s", [](const Result& r) { return seconds(r.compute); }},
    TableColumn{"mean_overhead_s", [](const Result& r) { return seconds(r.overhead); }},
    TableColumn{"mean_noise_s", [](const Result& r) { return seconds(r.noise); }},
    TableColumn{"mean_send_s",
                [](const Result& r) { return r.calls ? seconds((*r.calls)[CallKind::send]) : std::string(); }},
    TableColumn{
        "mean_receive_s",
        [](const Result& r) { return r.calls ? seconds((*r.calls)[CallKind::receive]) : std::string(); }},
    TableColumn{"mean_wait_s",
                [](const Result& r) { return r.calls ? seconds((*r.calls)[CallKind::wait]) : std::string(); }},
    TableColumn{
        "mean_collective_s",
        [](const Result& r) { return r.calls ? seconds((*r.calls)[CallKind::collective]) : std::string(); }},
    TableColumn{"parallel_efficiency",
                [](const Result& r) {
                    return share(r.efficiencies.has_value(), r.efficiencies.value_or(Efficiencies{}).parallel);
                }},
    TableColumn{"load_balance",
                [](const Result& r) {
                    return share(r.efficiencies.has_value(),
                                 r.efficiencies.value_or(Efficiencies{}).load_balance);
                }},
    TableColumn{"communication_efficiency",
                [](const Result& r) {
                    return share(r.efficiencies.has_value(),
                                 r.efficiencies.value_or(Efficiencies{}).communication);
                }},
    TableColumn{"serialisation_efficiency",
                [](const Result& r) {
                    return share(r.efficiencies && r.efficiencies->with_ideal,
                                 r.efficiencies.value_or(Efficiencies{}).serialisation);
                }},
    TableColumn{"transfer_efficiency",
                [](const Result& r) {
                    return share(r.efficiencies && r.efficiencies->with_ideal,
                                 r.efficiencies.value_or(Efficiencies{}).transfer);
                }},
    TableColumn{"busiest_link", [](const Result& r) { return r.busiest_link; }},
    TableColumn{"busiest_link_use",
                [](const Result& r) { return share(!r.busiest_link.empty(), r.busiest_use); }},
};

// As RFC 4180 has it.
std::string cell(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += c;
        out += c;
    }
    return out + "\"";
}

bool is_axis(const Study& study, std::string_view name) {
    return std::any_of(study.axes.begin(), study.axes.end(),
                       [&](const Axis& axis) { return axis.name == name; });
}

std::string_view status_of(const StudyRow& row) { return row.result ? name_of(row.result->status) : "missing"; }

bool ok(const StudyRow& row) { return row.result && row.result->status == PointStatus::ok; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

} // namespace

std::string study_csv(const Study& study, const std::vector<StudyRow>& rows) {
    const StudyQuantity& quantity = study_quantity(study.plot.y);
    std::string out;
    for (const Axis& axis : study.axes) out += cell(axis.name) + ",";
    out += "status";
    if (quantity.relative) out += fmt::format(",{}", quantity.name);
    for (const TableColumn& column : columns) {
        if (!is_axis(study, column.name)) out += fmt::format(",{}", column.name);
    }
    out += ",message,point\n";
    const std::vector<const PointResult*> references = reference_results(study, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const StudyRow& row = rows[i];
        for (const std::string& label : row.labels) out += cell(label) + ",";
        out += status_of(row);
        if (quantity.relative) {
            const std::optional<double> value =
                ok(row) ? quantity.value(*row.result, references[i]) : std::nullopt;
            out += "," + share(value.has_value(), value.value_or(0));
        }
        for (const TableColumn& column : columns) {
            if (!is_axis(study, column.name))
                out += "," + (ok(row) ? cell(column.text(*row.result)) : std::string());
        }
        out += fmt::format(",{},{}\n", row.result ? cell(row.result->message) : std::string(), row.hash);
    }
    return out;
}

nlohmann::json study_json(const Study& study, const std::vector<StudyRow>& rows) {
    nlohmann::json points = nlohmann::json::array();
    for (const StudyRow& row : rows) {
        nlohmann::json axes = nlohmann::json::object();
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
            axes[study.axes[axis].name] = row.labels[axis];
        nlohmann::json point{{"axes", axes}, {"status", status_of(row)}, {"point", row.hash}};
        if (ok(row)) {
            point["predicted_time_ps"] = row.result->time.ps();
            point["ranks"] = row.result->ranks;
            point["messages"] = row.result->messages;
            point["warnings"] = row.result->warnings;
            point["events"] = row.result->events;
            point["simulation_seconds"] = row.result->simulation_seconds;
            point["peak_rss_bytes"] = row.result->peak_rss_bytes;
        } else if (row.result) {
            point["message"] = row.result->message;
        }
        points.push_back(std::move(point));
    }
    return {{"study", study.name}, {"points", std::move(points)}};
}

std::string study_words(const Study& study, const std::vector<StudyRow>& rows) {
    const StudyQuantity& quantity = study_quantity(study.plot.y);
    const bool second = quantity.name != "time";
    const std::vector<const PointResult*> references = reference_results(study, rows);
    std::vector<std::vector<std::string>> table(1);
    const bool ranks = workload_axis(study).has_value();
    const std::size_t axes = study.axes.size() + (ranks ? 1 : 0);
    for (const Axis& axis : study.axes) table[0].push_back(axis.name);
    if (ranks) table[0].emplace_back(ranks_of_workloads);
    table[0].emplace_back("predicted time");
    if (second) table[0].emplace_back(quantity.words);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<std::string>& line = table.emplace_back(rows[i].labels);
        if (ranks) line.push_back(ok(rows[i]) ? std::to_string(rows[i].result->ranks) : std::string("-"));
        if (!ok(rows[i])) {
            line.push_back(rows[i].result
                               ? fmt::format("{}: {}", status_of(rows[i]), first_line(rows[i].result->message))
                               : std::string("not run yet"));
            continue;
        }
        line.push_back(format_time(rows[i].result->time));
        if (!second) continue;
        const std::optional<double> value = quantity.value(*rows[i].result, references[i]);
        line.push_back(value ? quantity_words(*value, quantity.measure) : std::string("-"));
    }
    std::vector<std::size_t> widths(table[0].size());
    for (const auto& line : table) {
        const bool failed = &line != &table[0] && !ok(rows[static_cast<std::size_t>(&line - table.data()) - 1]);
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (!failed || i < axes) widths[i] = std::max(widths[i], line[i].size());
        }
    }
    std::string out;
    for (const auto& line : table) {
        std::string text;
        for (std::size_t i = 0; i < line.size(); ++i) text += fmt::format("{:<{}}  ", line[i], widths[i]);
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + "\n";
    }
    return out;
}

} // namespace orrery
