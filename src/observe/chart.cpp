#include "observe/chart.h"

#include "observe/chart_scale.h"
#include "observe/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double plot_height = 290;
constexpr double legend_line = 17;
constexpr double label_size = 10;
constexpr double widest_bar = 56;

constexpr std::array<std::string_view, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                  "#E69F00", "#56B4E9", "#222222"};
constexpr std::array<std::string_view, 4> dashes{"", "6 3", "2 2", "8 3 2 3"};

std::string colour(std::size_t series) { return std::string(colours[series % colours.size()]); }
std::string_view dash(std::size_t series) { return dashes[series / colours.size() % dashes.size()]; }

struct Place {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
};

std::string at(double x, double y) { return svg_number(x) + " " + svg_number(y); }

void draw_marker(SvgPage& page, std::size_t series, double x, double y, std::string_view tooltip) {
    constexpr double r = 3.4;
    const std::string fill = colour(series);
    const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
        std::string points;
        for (const auto& [dx, dy] : corners)
            points += fmt::format("{}{}", points.empty() ? "" : " ", at(x + r * dx, y + r * dy));
        page.shape("polygon", {{"points", points}, {"fill", fill}}, tooltip);
    };
    switch (series % 5) {
    case 0:
        page.shape("circle",
                   {{"cx", svg_number(x)}, {"cy", svg_number(y)}, {"r", svg_number(r)}, {"fill", fill}},
                   tooltip);
        break;
    case 1: polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}); break;
    case 2: polygon({{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}}); break;
    case 3: polygon({{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}); break;
    default: polygon({{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}}); break;
    }
}

void draw_line_sample(SvgPage& page, std::size_t series, const std::string& path) {
    const std::string width = "1.6";
    if (dash(series).empty()) {
        page.shape("path",
                   {{"d", path}, {"fill", "none"}, {"stroke", colour(series)}, {"stroke-width", width}});
    } else {
        page.shape("path", {{"d", path},
                            {"fill", "none"},
                            {"stroke", colour(series)},
                            {"stroke-width", width},
                            {"stroke-dasharray", std::string(dash(series))}});
    }
}

void draw_frame(SvgPage& page, const Place& place, const ChartScale& y) {
    page.open("g", {{"stroke", "#e2e2e2"}, {"stroke-width", "0.8"}});
    for (const ChartTick& tick : y.ticks()) {
        page.shape("path", {{"d", fmt::format("M{}H{}", at(place.left, tick.pixel), svg_number(place.right))}});
    }
    page.close("g");
    page.open("g", {{"text-anchor", "end"}, {"font-size", svg_number(label_size)}});
    for (const ChartTick& tick : y.ticks()) page.text(place.left - 6, tick.pixel + 3.5, tick.words);
    page.close("g");
    page.shape("path", {{"d", fmt::format("M{}V{}H{}", at(place.left, place.top), svg_number(place.bottom),
                                          svg_number(place.right))},
                        {"fill", "none"},
                        {"stroke", "#222222"}});
}

// Two strokes across the foot of the axis, and the words.
void draw_cut(SvgPage& page, const Place& place) {
    const double y = place.bottom - 9;
    page.shape("path",
               {{"d", fmt::format("M{}l8 -4M{}l8 -4", at(place.left - 4, y + 3), at(place.left - 4, y + 7))},
                {"stroke", "#222222"}});
    page.text(place.left + 8, place.bottom - 6, "axis does not start at 0",
              {{"font-size", svg_number(label_size)}, {"font-style", "italic"}});
}

void draw_x_ticks(SvgPage& page, const Place& place, const std::vector<ChartTick>& ticks) {
    page.open("g", {{"text-anchor", "middle"}, {"font-size", svg_number(label_size)}});
    for (const ChartTick& tick : ticks) {
        page.shape("path", {{"d", fmt::format("M{}v4", at(tick.pixel, place.bottom))}, {"stroke", "#222222"}});
        if (!tick.words.empty()) page.text(tick.pixel, place.bottom + 15, tick.words);
    }
    page.close("g");
}

void draw_axis_words(SvgPage& page, const Place& place, const std::string& x, const std::string& y) {
    page.text((place.left + place.right) / 2, place.bottom + 33, x, {{"text-anchor", "middle"}});
    const double middle = (place.top + place.bottom) / 2;
    page.text(14, middle, y,
              {{"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 14 {})", svg_number(middle))}});
}

void draw_range(SvgPage& page, std::size_t series, double x, double low, double high) {
    page.shape("path", {{"d", fmt::format("M{}V{}M{}h6M{}h6", at(x, low), svg_number(high), at(x - 3, low),
                                          at(x - 3, high))},
                        {"stroke", colour(series)},
                        {"fill", "none"}});
}

std::string tooltip(const Chart& chart, const ChartSeries& series, const ChartPoint& point) {
    const std::string x = chart.categories.empty() ? quantity_words(point.x, chart.x.measure)
                                                   : chart.categories[static_cast<std::size_t>(point.x)];
    return fmt::format("{}{}{}: {}", series.label, series.label.empty() ? "" : ", ", x,
                       quantity_words(point.y, chart.y.measure));
}

void draw_lines(SvgPage& page, const Chart& chart, const ChartScale& x, const ChartScale& y) {
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const ChartSeries& series = chart.series[i];
        std::string path;
        for (const ChartPoint& point : series.points)
            path += (path.empty() ? "M" : "L") + at(x.pixel(point.x), y.pixel(point.y));
        if (series.points.size() > 1) draw_line_sample(page, i, path);
        for (const ChartPoint& point : series.points) {
            if (point.low != point.high)
                draw_range(page, i, x.pixel(point.x), y.pixel(point.low), y.pixel(point.high));
            draw_marker(page, i, x.pixel(point.x), y.pixel(point.y), tooltip(chart, series, point));
        }
    }
}

void draw_bars(SvgPage& page, const Chart& chart, const Place& place, const ChartScale& y) {
    const double group = (place.right - place.left) / static_cast<double>(chart.categories.size());
    const auto bars = static_cast<double>(chart.series.size());
    const double width = std::min(0.8 * group / bars, widest_bar);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        for (const ChartPoint& point : chart.series[i].points) {
            const double left =
                place.left + group * (point.x + 0.5) + width * (static_cast<double>(i) - bars / 2);
            const double end = y.pixel(point.y);
            page.shape("rect",
                       {{"x", svg_number(left)},
                        {"y", svg_number(std::min(end, y.base()))}, // below zero it hangs down
                        {"width", svg_number(std::max(width - 1, 0.5))},
                        {"height", svg_number(std::abs(y.base() - end))},
                        {"fill", colour(i)}},
                       tooltip(chart, chart.series[i], point));
            if (point.low != point.high)
                draw_range(page, colours.size() - 1, left + width / 2, y.pixel(point.low), y.pixel(point.high));
        }
    }
    if (y.base() < place.bottom) {
        page.shape("path", {{"d", fmt::format("M{}H{}", at(place.left, y.base()), svg_number(place.right))},
                            {"stroke", "#222222"}});
    }
    std::vector<ChartTick> ticks;
    double widest = 0;
    for (const std::string& words : chart.categories) widest = std::max(widest, text_width(words, label_size));
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 8) / group)));
    for (std::size_t i = 0; i < chart.categories.size(); ++i) {
        ticks.push_back({place.left + group * (static_cast<double>(i) + 0.5),
                         i % every == 0 ? chart.categories[i] : std::string()});
    }
    draw_x_ticks(page, place, ticks);
}

bool has_legend(const Chart& chart) { return chart.series.size() > 1; }

double legend_width(const Chart& chart) {
    if (!has_legend(chart)) return 0;
    double widest = text_width(chart.legend, 11);
    for (const ChartSeries& series : chart.series)
        widest = std::max(widest, text_width(series.label, label_size));
    return widest + 50;
}

void draw_legend(SvgPage& page, const Chart& chart, double left, double top) {
    page.text(left, top + 4, chart.legend, {{"font-weight", "bold"}});
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const double y = top + legend_line * static_cast<double>(i + 1);
        if (chart.categories.empty()) {
            draw_line_sample(page, i, fmt::format("M{}h26", at(left, y)));
            draw_marker(page, i, left + 13, y, {});
        } else {
            page.shape("rect", {{"x", svg_number(left + 6)},
                                {"y", svg_number(y - 6)},
                                {"width", "14"},
                                {"height", "11"},
                                {"fill", colour(i)}});
        }
        page.text(left + 33, y + 3.5, chart.series[i].label, {{"font-size", svg_number(label_size)}});
    }
}

template <typename Part> std::pair<double, double> extremes(const Chart& chart, Part&& part) {
    double least = INFINITY;
    double most = -INFINITY;
    for (const ChartSeries& series : chart.series) {
        for (const ChartPoint& point : series.points) {
            const auto [low, high] = part(point);
            least = std::min(least, low);
            most = std::max(most, high);
        }
    }
    return least <= most ? std::pair(least, most) : std::pair(0.0, 1.0);
}

std::vector<double> x_values(const Chart& chart) {
    std::vector<double> values;
    for (const ChartSeries& series : chart.series) {
        for (const ChartPoint& point : series.points) values.push_back(point.x);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

struct Size {
    double width = 0;
    double height = 0;
};

// With the upper left corner at (0, 0).
Size draw(SvgPage& page, const Chart& chart) {
    Place place;
    place.left = 86;
    place.right = place.left + chart.width;
    place.top = 40 + (chart.note.empty() ? 0 : 14) + (chart.warning.empty() ? 0 : 17);
    const double rows = has_legend(chart) ? legend_line * static_cast<double>(chart.series.size() + 1) : 0;
    place.bottom = place.top + std::max(plot_height, rows);

    const auto [y_least, y_most] =
        extremes(chart, [](const ChartPoint& point) { return std::pair(point.low, point.high); });
    const ChartScale y =
        ChartScale::vertical(chart.y, y_least, y_most, !chart.categories.empty(), place.bottom, place.top);
    page.text(8, 19, chart.title, {{"font-size", "14"}, {"font-weight", "bold"}});
    if (!chart.warning.empty()) page.text(8, 36, chart.warning, {{"font-weight", "bold"}, {"fill", "#B00020"}});
    if (!chart.note.empty()) page.text(8, chart.warning.empty() ? 36 : 53, chart.note);
    draw_frame(page, place, y);
    if (y.cut()) draw_cut(page, place);
    std::string x_words = chart.x.words;
    if (chart.categories.empty()) {
        const ChartScale x = ChartScale::horizontal(chart.x, x_values(chart), place.left, place.right);
        draw_x_ticks(page, place, x.ticks());
        draw_lines(page, chart, x, y);
        x_words = x.words();
    } else {
        draw_bars(page, chart, place, y);
    }
    draw_axis_words(page, place, x_words, y.words());
    if (has_legend(chart)) draw_legend(page, chart, place.right + 24, place.top + 6);
    return {place.right + 24 + legend_width(chart), place.bottom + 46};
}

} // namespace

std::string draw_charts(std::span<const Chart> charts) {
    SvgPage page;
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    Size all;
    std::string titles;
    std::string contents;
    for (const Chart& chart : charts) {
        page.open("g", {{"transform", fmt::format("translate(0 {})", svg_number(all.height))}});
        const Size size = draw(page, chart);
        page.close("g");
        all.width = std::max(all.width, size.width);
        all.height += size.height;
        titles += (titles.empty() ? "" : "; ") + chart.title;
        contents += fmt::format("{}{} by {}", contents.empty() ? "" : "; ", chart.y.words, chart.x.words);
    }
    return page.take(all.width, all.height, titles, contents);
}

std::string draw_chart(const Chart& chart) { return draw_charts(std::span(&chart, 1)); }

} // namespace orrery
