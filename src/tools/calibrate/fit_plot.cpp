#include "tools/calibrate/fit_plot.h"

#include "engine/time.h"
#include "observe/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

// Points light, lines dark; told apart by colour-blind readers too (after Okabe and Ito).
constexpr std::array<std::string_view, 4> point_colours{"#7fb8d8", "#eaae7f", "#7fcEb9", "#dbb0ca"};
constexpr std::array<std::string_view, 4> line_colours{"#005a8d", "#a84a00", "#00704f", "#9a4f7b"};

constexpr double plot_left = 74;
constexpr double plot_right = 640;
constexpr double plot_top = 58;
constexpr double plot_bottom = 400;
constexpr double smallest = 0.5;  // bytes: where messages without bytes are drawn
constexpr double shortest_ns = 1; // ns

struct Axes {
    double bytes_to = 4194304;
    double ns_from = 10;
    double ns_to = 1e6;

    [[nodiscard]] double x(double bytes) const {
        return plot_left + (plot_right - plot_left) * std::log(std::max(bytes, smallest) / smallest) /
                               std::log(bytes_to / smallest);
    }
    [[nodiscard]] double y(double ns) const {
        return plot_bottom -
               (plot_bottom - plot_top) * std::log(std::max(ns, ns_from) / ns_from) / std::log(ns_to / ns_from);
    }
};

Axes axes_of(const FitPlot& plot) {
    Axes axes;
    double most_bytes = 1;
    double least = 1e300;
    double most = 1;
    for (const PlottedFit& series : plot.series) {
        for (const FitPoint& point : series.points) {
            most_bytes = std::max(most_bytes, point.bytes);
            least = std::min(least, std::max(point.value, shortest_ns));
            most = std::max(most, point.value);
        }
    }
    axes.bytes_to = 1.2 * most_bytes;
    axes.ns_from = std::pow(10, std::floor(std::log10(std::min(least, most))));
    axes.ns_to = std::pow(10, std::ceil(std::log10(most * 1.05)));
    return axes;
}

std::string point_at(double x, double y) { return fmt::format("{} {}", svg_number(x), svg_number(y)); }

std::string time_at(double ns) { return time_words(Time::from_ps(std::min(ns * 1e3, 1e18), "a fitted time")); }

// Of ticks, which are powers of ten.
std::string time_tick(double ns) {
    if (ns >= 0.999e9) return fmt::format("{:.0f} s", ns / 1e9);
    if (ns >= 0.999e6) return fmt::format("{:.0f} ms", ns / 1e6);
    return ns >= 999 ? fmt::format("{:.0f} \u00B5s", ns / 1e3) : fmt::format("{:.0f} ns", ns);
}

// And powers of two.
std::string size_tick(double bytes) {
    if (bytes >= 1 << 20) return fmt::format("{:.0f} MiB", bytes / (1 << 20));
    return bytes >= 1024 ? fmt::format("{:.0f} KiB", bytes / 1024) : fmt::format("{:.0f} B", bytes);
}

void draw_axes(SvgPage& page, const Axes& axes) {
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    page.open("g", {{"stroke", "#e2e2e2"}, {"stroke-width", "0.8"}, {"fill", "none"}});
    for (double ns = axes.ns_from; ns <= axes.ns_to * 1.001; ns *= 10)
        page.shape("path",
                   {{"d", fmt::format("M{}H{}", point_at(plot_left, axes.y(ns)), svg_number(plot_right))}});
    for (double bytes = 1; bytes <= axes.bytes_to; bytes *= 32)
        page.shape("path",
                   {{"d", fmt::format("M{}V{}", point_at(axes.x(bytes), plot_top), svg_number(plot_bottom))}});
    page.close("g");
    page.open("g", {{"font-size", "10"}, {"text-anchor", "end"}});
    for (double ns = axes.ns_from; ns <= axes.ns_to * 1.001; ns *= 10)
        page.text(plot_left - 6, axes.y(ns) + 3.5, time_tick(ns));
    page.close("g");
    page.open("g", {{"font-size", "10"}, {"text-anchor", "middle"}});
    page.text(axes.x(0), plot_bottom + 15, "0");
    for (double bytes = 1; bytes <= axes.bytes_to; bytes *= 32)
        page.text(axes.x(bytes), plot_bottom + 15, size_tick(bytes));
    page.text((plot_left + plot_right) / 2, plot_bottom + 34, "message size");
    page.close("g");
    page.shape("path", {{"d", fmt::format("M{}V{}H{}", point_at(plot_left, plot_top), svg_number(plot_bottom),
                                          svg_number(plot_right))},
                        {"stroke", "#222222"},
                        {"fill", "none"}});
}

void draw_pieces(SvgPage& page, const Axes& axes, const PlottedFit& series, std::size_t colour) {
    for (std::size_t i = 0; i < series.pieces.size(); ++i) {
        const FitPiece& piece = series.pieces[i];
        const double from = i == 0 ? smallest : std::max(piece.above, smallest);
        const double end = i + 1 < series.pieces.size() ? series.pieces[i + 1].above : axes.bytes_to;
        const double to = std::min(end, series.curve_to);
        if (to <= from) break;
        constexpr int steps = 40;
        std::string path;
        for (int step = 0; step <= steps; ++step) {
            const double bytes = from * std::pow(std::max(to, from) / from, static_cast<double>(step) / steps);
            path += (path.empty() ? "M" : "L") +
                    point_at(axes.x(bytes), axes.y(piece.base + piece.per_byte * bytes));
        }
        page.shape("path",
                   {{"d", path},
                    {"fill", "none"},
                    {"stroke", std::string(line_colours[colour % line_colours.size()])},
                    {"stroke-width", "1.6"}},
                   fmt::format("{}: {:.1f} ns + {:.5f} ns/B above {:.0f} B, mean error {:.1f} %", series.label,
                               piece.base, piece.per_byte, piece.above, 100 * piece.mean_error));
    }
}

} // namespace

std::string draw_fit(const FitPlot& plot) {
    SvgPage page;
    const Axes axes = axes_of(plot);
    draw_axes(page, axes);
    if (plot.eager_limit) {
        page.shape("path",
                   {{"d", fmt::format("M{}V{}", point_at(axes.x(*plot.eager_limit), plot_top),
                                      svg_number(plot_bottom))},
                    {"stroke", "#888888"},
                    {"stroke-dasharray", "4 3"}},
                   "eager limit");
        page.text(axes.x(*plot.eager_limit) + 4, plot_top + 10, "eager limit",
                  {{"font-size", "9"}, {"fill", "#666666"}});
    }
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        for (const FitPoint& point : plot.series[i].points) {
            page.shape(
                "circle",
                {{"cx", svg_number(axes.x(point.bytes))},
                 {"cy", svg_number(axes.y(std::max(point.value, shortest_ns)))},
                 {"r", "2.6"},
                 {"fill", std::string(point_colours[i % point_colours.size()])}},
                fmt::format("{}, {:.0f} B: {}", plot.series[i].label, point.bytes, time_at(point.value)));
        }
    }
    for (std::size_t i = 0; i < plot.series.size(); ++i) draw_pieces(page, axes, plot.series[i], i);
    page.text(plot_left, 22, plot.title, {{"font-size", "14"}, {"font-weight", "bold"}});
    page.text(plot_left, 39, plot.note, {{"font-size", "10"}, {"fill", "#555555"}});
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        const double y = plot_top + 26 + 16 * static_cast<double>(i);
        page.shape("circle", {{"cx", svg_number(plot_left + 14)},
                              {"cy", svg_number(y)},
                              {"r", "2.6"},
                              {"fill", std::string(point_colours[i % point_colours.size()])}});
        if (!plot.series[i].pieces.empty()) {
            page.shape("path", {{"d", fmt::format("M{}h20", point_at(plot_left + 22, y))},
                                {"stroke", std::string(line_colours[i % line_colours.size()])},
                                {"stroke-width", "1.6"}});
        }
        const PlottedFit& series = plot.series[i];
        const std::string why = series.no_curve.empty() ? "" : fmt::format(" ({})", series.no_curve);
        page.text(plot_left + 48, y + 3.5, series.label + why, {{"font-size", "10"}});
    }
    return page.take(plot_right + 16, plot_bottom + 48, plot.title, plot.note);
}

} // namespace orrery
