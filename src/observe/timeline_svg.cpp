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

// A guess that holds for Helvetica and its relatives; text is never measured.
double text_width(std::string_view words, double size) {
    return 0.55 * size * static_cast<double>(words.size());
}

// ---- the axis

struct AxisUnit {
    std::string_view name;
    double picoseconds;
};

AxisUnit unit_for(Time longest) {
    constexpr AxisUnit units[] = {{"s", 1e12}, {"ms", 1e9}, {"\u00B5s", 1e6}, {"ns", 1e3}};
    for (const AxisUnit& unit : units) {
        if (static_cast<double>(longest.ps()) >= unit.picoseconds) return unit;
    }
    return {"ps", 1};
}

// 1, 2 or 5 times a power of ten, so that labels stand at least `apart` pixels from each other.
double tick_step(double span, double pixels, double apart) {
    const double least = span * apart / pixels;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

void draw_axis(SvgPage& page, const TimelineLayout& layout) {
    const AxisUnit unit = unit_for(layout.to());
    const double from = static_cast<double>(layout.from().ps()) / unit.picoseconds;
    const double to = static_cast<double>(layout.to().ps()) / unit.picoseconds;
    const double width = layout.right() - layout.left();
    const double step = tick_step(to - from, width, 60);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    const double first = std::max(0.0, std::ceil(from / step - 1e-6)); // not "-0"
    const auto x_of = [&](double value) { return layout.left() + width * (value - from) / (to - from); };

    page.open("g", {{"stroke", "#e2e2e2"}, {"stroke-width", "0.8"}});
    for (double tick = first; tick * step <= to * (1 + 1e-9); ++tick) {
        page.shape("path", {{"d", fmt::format("M{} {}V{}", svg_number(x_of(tick * step)),
                                              svg_number(layout.top()), svg_number(layout.bottom()))}});
    }
    page.close("g");
    page.shape("path", {{"d", fmt::format("M{} {}H{}", svg_number(layout.left()), svg_number(layout.bottom()),
                                          svg_number(layout.right()))},
                        {"stroke", "#222222"}});
    page.open("g", {{"text-anchor", "middle"}, {"font-size", "10"}});
    for (double tick = first; tick * step <= to * (1 + 1e-9); ++tick) {
        const double x = x_of(tick * step);
        page.shape("path", {{"d", fmt::format("M{} {}v4", svg_number(x), svg_number(layout.bottom()))},
                            {"stroke", "#222222"}});
        page.text(x, layout.bottom() + 15, fmt::format("{:.{}f}", tick * step, decimals));
    }
    page.close("g");
    page.text((layout.left() + layout.right()) / 2, layout.bottom() + 29, fmt::format("time ({})", unit.name),
              {{"text-anchor", "middle"}});
}

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

void draw_end(SvgPage& page, const TimelineLayout& layout, Time end) {
    if (!layout.inside(end, end)) return;
    const double x = layout.x(end);
    page.shape("path", {{"d", fmt::format("M{} {}V{}", svg_number(x), svg_number(layout.top() - 3),
                                          svg_number(layout.bottom()))},
                        {"stroke", "#222222"},
                        {"stroke-width", "0.8"},
                        {"stroke-dasharray", "4 3"}});
    page.text(x - 3, layout.top() - 1, "end " + time_words(end), {{"text-anchor", "end"}, {"font-size", "10"}});
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

void draw_head(SvgPage& page, const SvgOptions& options, const std::string& title,
               const std::string& parameters, const std::string& facts) {
    const auto fit = [&](const std::string& words, double size) {
        const auto most = static_cast<std::size_t>((options.width - 20) / (0.58 * size));
        if (words.size() <= most) return words;
        std::size_t cut = most - 1;
        while (cut > 0 && (static_cast<unsigned char>(words[cut]) & 0xC0U) == 0x80U)
            --cut; // not within a character
        return words.substr(0, cut) + "\u2026";
    };
    page.text(8, 19, fit(title, 14), {{"font-size", "14"}, {"font-weight", "bold"}});
    page.text(8, 35, fit(parameters, 11));
    page.text(8, 49, fit(facts, 11));
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

double draw_notes(SvgPage& page, const TimelineLayout& layout, const std::vector<std::string>& notes,
                  double y) {
    const auto most = static_cast<std::size_t>((layout.right() - layout.left()) / (0.52 * 10));
    for (const std::string& note : notes) {
        std::string_view rest = note;
        while (!rest.empty()) {
            std::size_t cut = rest.size();
            if (cut > most) {
                cut = rest.rfind(' ', most);
                if (cut == std::string_view::npos || cut == 0) cut = most;
            }
            page.text(layout.left(), y, rest.substr(0, cut), {{"font-size", "10"}, {"font-style", "italic"}});
            rest.remove_prefix(std::min(rest.size(), cut + 1));
            y += 13;
        }
    }
    return y;
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
    page.open("clipPath", {{"id", "plot"}});
    page.shape("rect", {{"x", svg_number(layout.left())},
                        {"y", svg_number(layout.top())},
                        {"width", svg_number(layout.right() - layout.left())},
                        {"height", svg_number(layout.bottom() - layout.top())}});
    page.close("clipPath");
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    draw_head(page, options, title, to_string(parameters), facts);
    draw_bands(page, layout);
    draw_axis(page, layout);
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
    draw_end(page, layout, end);
    double y = draw_legend(page, layout, used, layout.bottom() + 50);
    y = draw_notes(page, layout, notes, y + 2);

    OutputFile out(file);
    out.write(page.take(options.width, y, title, to_string(parameters) + "; " + facts));
    out.commit();
}

} // namespace orrery
