#include "tools/mapping/picture.h"

#include "observe/quantity.h"
#include "observe/svg_plot.h"
#include "tools/mapping/verdict.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double row_height = 16;
constexpr double row_font = 10;
constexpr double panel_width = 250;
constexpr double value_width = 74; // of "130.604 ms" behind a bar

struct MappingRow {
    const MappingResult* result = nullptr; // null: rows are left out here
    std::string words;
};

std::vector<MappingRow> picture_rows(const SearchReport& report) {
    std::vector<MappingRow> rows;
    const std::size_t all = report.results.size();
    const std::size_t first = all <= most_picture_rows ? all : most_picture_rows - 2;
    for (std::size_t i = 0; i < first; ++i) rows.push_back({&report.results[i], report.results[i].name});
    if (first == all) return rows;
    rows.push_back({nullptr, fmt::format("({} more)", all - first - 1)});
    rows.push_back({&report.results.back(), report.results.back().name});
    return rows;
}

// One column of bars over an axis of time that starts at zero.
struct TimePanel {
    SvgPlot plot;
    std::string heading;
    std::string colour;

    void draw(SvgPage& page) const {
        page.text(plot.left, plot.top - 8, heading, {{"font-weight", "bold"}});
        draw_axis(page, plot);
        page.shape("path", {{"d", fmt::format("M{} {}V{}", svg_number(plot.left), svg_number(plot.top),
                                              svg_number(plot.bottom))},
                            {"stroke", "#222222"}});
    }
    void bar(SvgPage& page, double y, Time time, const std::string& tooltip) const {
        page.shape("rect",
                   {{"x", svg_number(plot.left)},
                    {"y", svg_number(y + 3)},
                    {"width", svg_number(std::max(plot.x(time) - plot.left, 0.5))},
                    {"height", svg_number(row_height - 6)},
                    {"fill", colour}},
                   tooltip);
        page.text(plot.x(time) + 5, y + row_height - 4.5, time_words(time),
                  {{"font-size", svg_number(row_font)}});
    }
    void mark(SvgPage& page, double y, Time time) const {
        page.shape("path", {{"d", fmt::format("M{} {}v{}", svg_number(plot.x(time)), svg_number(y + 1.5),
                                              svg_number(row_height - 3))},
                            {"stroke", "#222222"},
                            {"stroke-width", "1.5"}});
    }
};

TimePanel make_panel(double left, double top, double bottom, Time longest) {
    TimePanel panel;
    panel.plot = {left, left + panel_width, top, bottom, Time::zero(), later(longest, Time::tick())};
    return panel;
}

} // namespace

std::string draw_search(const SearchReport& report) {
    const std::vector<MappingRow> rows = picture_rows(report);
    double names = 60;
    Time longest_estimate;
    Time longest_replay;
    for (const MappingRow& row : rows) {
        names = std::max(names, text_width(row.words, row_font));
        if (row.result == nullptr) continue;
        longest_estimate = later(longest_estimate, row.result->time);
        longest_replay = later(longest_replay, row.result->replayed.value_or(Time::zero()));
    }
    const double top = 82;
    const double bottom = top + row_height * static_cast<double>(rows.size());
    const double left = 14 + names + 8;
    TimePanel replayed = make_panel(left, top, bottom, longest_replay);
    replayed.heading = "replayed with the trace";
    replayed.colour = "#0072B2";
    TimePanel estimate = make_panel(report.replayed ? left + panel_width + value_width + 30 : left, top, bottom,
                                    longest_estimate);
    estimate.heading = report.replayed ? "estimate (all messages at once)" : "estimate: all messages at once";
    estimate.colour = "#9BC1DC";

    SvgPage page;
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    const auto verdict = mapping_verdict(report.results);
    const double width = estimate.plot.right + value_width + 14;
    draw_head(page, width, report.pattern, fmt::format("{}, {}", report.machine, report.network),
              verdict ? verdict->words
                      : fmt::format("ranked by the estimate ({})", report.not_replayed_because));
    if (report.replayed) replayed.draw(page);
    estimate.draw(page);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double y = top + row_height * static_cast<double>(i);
        const bool chosen = verdict && rows[i].result != nullptr && rows[i].words == verdict->use;
        page.text(left - 8, y + row_height - 4.5, rows[i].words,
                  {{"text-anchor", "end"},
                   {"font-size", svg_number(row_font)},
                   {"font-weight", chosen ? "bold" : "normal"}});
        if (rows[i].result == nullptr) continue;
        const MappingResult& result = *rows[i].result;
        if (result.replayed)
            replayed.bar(page, y, *result.replayed,
                         fmt::format("{}, replayed: {}", result.name, time_words(*result.replayed)));
        estimate.bar(page, y, result.time,
                     fmt::format("{}, estimate: {}; busiest link {} alone: {}", result.name,
                                 time_words(result.time), result.worst_link,
                                 time_words(result.worst_link_time)));
        estimate.mark(page, y, result.worst_link_time);
    }
    std::vector<std::string> notes{
        "A mark in a bar of an estimate: the time that its busiest link alone needs."};
    if (report.replayed && std::any_of(rows.begin(), rows.end(), [](const MappingRow& row) {
            return row.result != nullptr && !row.result->replayed;
        }))
        notes.emplace_back(
            "Rows without a replayed time were not replayed: their estimate was not among the best.");
    SvgPlot below = estimate.plot;
    below.left = 14;
    const double end = draw_notes(page, below, notes, bottom + 48);
    return page.take(width, end + 6, report.pattern, "time of each mapping");
}

} // namespace orrery
