#include "observe/timeline_svg.h"

#include "engine/output_file.h"
#include "engine/units.h"
#include "observe/svg_page.h"
#include "observe/timeline_layout.h"
#include "observe/timeline_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace orrery {

namespace {

// ---- the ranks

std::string lane_label(const Lane& lane, bool numbered) {
    const std::string name = lane.kind == LaneKind::cpu ? "CPU" : lane.kind == LaneKind::nic_out ? "out" : "in";
    return numbered ? fmt::format("{} {}", name, lane.number) : name;
}

void draw_bands(SvgPage& page, const TimelineLayout& layout) {
    const bool lanes = !layout.shares() && layout.lane_scale() >= 0.8;
    page.open("g", {{"fill", "#f4f4f4"}});
    for (const Band& band : layout.bands()) {
        for (const Lane& lane : band.lanes) {
            page.shape("rect", {{"x", svg_number(layout.left())},
                                {"y", svg_number(lane.top)},
                                {"width", svg_number(layout.right() - layout.left())},
                                {"height", svg_number(lane.height)}});
        }
    }
    page.close("g");
    page.open("g", {{"text-anchor", "start"}});
    double free_from = 0; // below the last label
    for (const Band& band : layout.bands()) {
        const double y = (band.top + band.bottom) / 2 + 3.8;
        if (y - 11 < free_from) continue;
        page.text(8, y, fmt::format("rank {}", band.rank));
        free_from = y;
    }
    page.close("g");
    if (!lanes) return;
    page.open("g", {{"text-anchor", "end"}, {"font-size", "8"}, {"fill", "#666666"}});
    for (const Band& band : layout.bands()) {
        for (const Lane& lane : band.lanes) {
            page.text(layout.left() - 4, lane.middle() + 2.8, lane_label(lane, layout.numbered()));
        }
    }
    page.close("g");
}

// ---- around the plot

std::string made_of_words(const CriticalPath& path) {
    const PathParts& p = path.parts;
    std::vector<std::pair<std::string_view, Time>> parts = {
        {"compute", p.compute}, {"L", p.L},        {"o", p.o}, {"O", p.O}, {"g", p.g}, {"G", p.G},
        {"noise", p.noise},     {"other", p.other}};
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string words;
    for (const auto& [name, time] : parts) {
        if (time == Time::zero()) continue;
        words += fmt::format("{}{} {:.1f} %", words.empty() ? "" : ", ", name, 100 * path.share(time));
    }
    return words;
}

// A small picture of the mark, 18 pixels wide, on the line `y`.
void draw_swatch(SvgPage& page, Mark mark, double x, double y, bool crowded) {
    const std::string paint(mark_style(mark).paint);
    const std::string line = fmt::format("M{} {}h18", svg_number(x), svg_number(y - 4));
    switch (mark) {
    case Mark::message:
        page.shape("path", {{"d", line},
                            {"stroke", paint},
                            {"stroke-width", crowded ? "0.45" : "0.9"},
                            {"marker-end", crowded ? "none" : "url(#tip)"}});
        break;
    case Mark::waiting:
        page.shape("path", {{"d", line}, {"stroke", paint}, {"stroke-dasharray", "1.5 2"}});
        break;
    case Mark::path: page.shape("path", {{"d", line}, {"stroke", paint}, {"stroke-width", "2.2"}}); break;
    default:
        page.shape("rect", {{"x", svg_number(x)},
                            {"y", svg_number(y - 8.5)},
                            {"width", "18"},
                            {"height", "9"},
                            {"fill", paint},
                            {"fill-opacity", mark == Mark::bytes ? "0.16" : "1"}});
    }
}

// Below the axis, as many in a row as fit. Returns the y below it.
double draw_legend(SvgPage& page, const TimelineLayout& layout, const MarksUsed& used, double y) {
    constexpr Mark order[] = {Mark::send,   Mark::recv,    Mark::calc,  Mark::noise,   Mark::nic_out,
                              Mark::nic_in, Mark::message, Mark::bytes, Mark::waiting, Mark::path};
    double x = layout.left();
    bool any = false;
    for (const Mark mark : order) {
        if (!used[static_cast<std::size_t>(mark)]) continue;
        const std::string_view words = mark_style(mark).words;
        const double width = 24 + text_width(words, 10.5) + 16;
        if (any && x + width > layout.right() + 16) {
            x = layout.left();
            y += 16;
        }
        draw_swatch(page, mark, x, y, layout.crowded());
        page.text(x + 24, y, words, {{"font-size", "10.5"}});
        x += width;
        any = true;
    }
    return any ? y + 16 : y;
}

} // namespace

void write_timeline_svg(const Recording& recording, const LogGOPS& parameters, const CriticalPath* path,
                        const SvgOptions& options, const std::string& file) {
    const TimelineLayout layout(recording, path, options);
    Time end;
    for (const Time finish : recording.finish) end = later(end, finish);
    const std::string predicted = "predicted time " + time_words(end);
    const std::string title = options.title.empty() ? predicted : options.title + ": " + predicted;
    std::string facts = format_count(recording.ranks) + (recording.ranks == 1 ? " rank" : " ranks");
    if (path != nullptr && end > Time::zero()) facts += ", critical path made of " + made_of_words(*path);

    SvgPage page;
    page.raw(pattern_definitions());
    draw_ground(page, layout.plot());
    draw_head(page, options.width, title, to_string(parameters), facts);
    draw_bands(page, layout);
    draw_axis(page, layout.plot());
    MarksUsed used{};
    page.open("g", {{"clip-path", "url(#plot)"}});
    if (layout.shares()) {
        draw_shares(page, recording, layout, options.most_shapes, used);
    } else {
        draw_operations(page, recording, parameters, layout, used);
    }
    std::vector<std::string> notes = layout.notes();
    if (path != nullptr) {
        const std::string note =
            draw_path(page, recording, parameters, *path, layout, options.most_shapes, used);
        if (!note.empty()) notes.push_back(note);
    }
    page.close("g");
    draw_end(page, layout.plot(), end);
    double y = draw_legend(page, layout, used, layout.bottom() + 50);
    y = draw_notes(page, layout.plot(), notes, y + 2);

    OutputFile out(file);
    out.write(page.take(options.width, y, title, to_string(parameters) + "; " + facts));
    out.commit();
}

} // namespace orrery
