#include "observe/svg_plot.h"

#include "engine/units.h"

#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

struct AxisUnit {
    std::string_view name;
    double picoseconds;
};

AxisUnit unit_for(Time longest) {
    constexpr AxisUnit units[] = {{"s", 1e12}, {"ms", 1e9}, {"\u00B5s", 1e6}, {"ns", 1e3}};
    for (const AxisUnit& unit : units) {
        if (longest.picoseconds() >= unit.picoseconds) return unit;
    }
    return {"ps", 1};
}

} // namespace

double tick_step(double span, double pixels, double apart) {
    const double least = span * apart / pixels;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

double text_width(std::string_view words, double size) {
    return 0.55 * size * static_cast<double>(words.size());
}

std::string time_words(Time time) {
    std::string text = format_time(time);
    const std::size_t unit = text.find(" us");
    if (unit != std::string::npos) text.replace(unit, 3, " \u00B5s");
    return text;
}

void draw_ground(SvgPage& page, const SvgPlot& plot) {
    page.open("clipPath", {{"id", "plot"}});
    page.shape("rect", {{"x", svg_number(plot.left)},
                        {"y", svg_number(plot.top)},
                        {"width", svg_number(plot.right - plot.left)},
                        {"height", svg_number(plot.bottom - plot.top)}});
    page.close("clipPath");
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
}

void draw_axis(SvgPage& page, const SvgPlot& plot) {
    const AxisUnit unit = unit_for(plot.to);
    const double from = plot.from.picoseconds() / unit.picoseconds;
    const double to = plot.to.picoseconds() / unit.picoseconds;
    const double width = plot.right - plot.left;
    const double step = tick_step(to - from, width, 60);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    const double first = std::max(0.0, std::ceil(from / step - 1e-6)); // not "-0"
    const auto x_of = [&](double value) { return plot.left + width * (value - from) / (to - from); };

    page.open("g", {{"stroke", "#e2e2e2"}, {"stroke-width", "0.8"}});
    for (double tick = first; tick * step <= to * (1 + 1e-9); ++tick) {
        page.shape("path", {{"d", fmt::format("M{} {}V{}", svg_number(x_of(tick * step)), svg_number(plot.top),
                                              svg_number(plot.bottom))}});
    }
    page.close("g");
    page.shape("path", {{"d", fmt::format("M{} {}H{}", svg_number(plot.left), svg_number(plot.bottom),
                                          svg_number(plot.right))},
                        {"stroke", "#222222"}});
    page.open("g", {{"text-anchor", "middle"}, {"font-size", "10"}});
    for (double tick = first; tick * step <= to * (1 + 1e-9); ++tick) {
        const double x = x_of(tick * step);
        page.shape("path", {{"d", fmt::format("M{} {}v4", svg_number(x), svg_number(plot.bottom))},
                            {"stroke", "#222222"}});
        page.text(x, plot.bottom + 15, fmt::format("{:.{}f}", tick * step, decimals));
    }
    page.close("g");
    page.text((plot.left + plot.right) / 2, plot.bottom + 29, fmt::format("time ({})", unit.name),
              {{"text-anchor", "middle"}});
}

void draw_end(SvgPage& page, const SvgPlot& plot, Time end) {
    if (!plot.inside(end, end)) return;
    const double x = plot.x(end);
    page.shape("path", {{"d", fmt::format("M{} {}V{}", svg_number(x), svg_number(plot.top - 3),
                                          svg_number(plot.bottom))},
                        {"stroke", "#222222"},
                        {"stroke-width", "0.8"},
                        {"stroke-dasharray", "4 3"}});
    page.text(x - 3, plot.top - 1, "end " + time_words(end), {{"text-anchor", "end"}, {"font-size", "10"}});
}

void draw_head(SvgPage& page, double width, const std::string& title, const std::string& second,
               const std::string& third) {
    const auto fit = [&](const std::string& words, double size) {
        const auto most = static_cast<std::size_t>((width - 20) / (0.58 * size));
        if (words.size() <= most) return words;
        std::size_t cut = most - 1;
        while (cut > 0 && (static_cast<unsigned char>(words[cut]) & 0xC0U) == 0x80U)
            --cut; // not within a character
        return words.substr(0, cut) + "\u2026";
    };
    page.text(8, 19, fit(title, 14), {{"font-size", "14"}, {"font-weight", "bold"}});
    page.text(8, 35, fit(second, 11));
    page.text(8, 49, fit(third, 11));
}

double draw_notes(SvgPage& page, const SvgPlot& plot, const std::vector<std::string>& notes, double y) {
    const auto most = static_cast<std::size_t>((plot.right - plot.left) / (0.52 * 10));
    for (const std::string& note : notes) {
        std::string_view rest = note;
        while (!rest.empty()) {
            std::size_t cut = rest.size();
            if (cut > most) {
                cut = rest.rfind(' ', most);
                if (cut == std::string_view::npos || cut == 0) cut = most;
            }
            page.text(plot.left, y, rest.substr(0, cut), {{"font-size", "10"}, {"font-style", "italic"}});
            rest.remove_prefix(std::min(rest.size(), cut + 1));
            y += 13;
        }
    }
    return y;
}

} // namespace orrery
