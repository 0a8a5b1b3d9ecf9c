#include "observe/heat_map.h"

#include "observe/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace orrery {

HeatScale::HeatScale(std::span<const HeatCell> cells) {
    if (cells.empty()) return;
    const auto [least, most] = std::minmax_element(
        cells.begin(), cells.end(), [](const HeatCell& a, const HeatCell& b) { return a.value < b.value; });
    least_ = least->value;
    most_ = most->value;
}

double HeatScale::share(double value) const {
    return most_ > least_ ? std::clamp(std::log(value / least_) / std::log(most_ / least_), 0.0, 1.0) : 1;
}

std::uint32_t HeatScale::shade(double value) const {
    return std::min(shades - 1, static_cast<std::uint32_t>(share(value) * shades));
}

std::string HeatScale::colour(std::uint32_t shade) {
    // Pale yellow over green to dark blue: still in order when printed in grey.
    constexpr std::array<std::array<double, 3>, 5> anchors{
        {{217, 240, 163}, {154, 215, 185}, {65, 182, 196}, {34, 94, 168}, {8, 29, 88}}};
    const double at = static_cast<double>(shade) / (shades - 1) * (anchors.size() - 1);
    const std::size_t from = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
    const double part = at - static_cast<double>(from);
    std::array<int, 3> mixed{};
    for (std::size_t i = 0; i < 3; ++i)
        mixed[i] = static_cast<int>(std::lround(anchors[from][i] * (1 - part) + anchors[from + 1][i] * part));
    return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

void draw_heat(SvgPage& page, const HeatFrame& frame, std::span<const HeatCell> cells, const HeatScale& scale) {
    // One path per shade, of horizontal strokes that are one square high.
    std::array<std::string, HeatScale::shades> paths;
    for (std::size_t i = 0; i < cells.size();) {
        const std::uint32_t shade = scale.shade(cells[i].value);
        std::size_t end = i + 1;
        while (end < cells.size() && cells[end].row == cells[i].row &&
               cells[end].column == cells[end - 1].column + 1 && scale.shade(cells[end].value) == shade) {
            ++end;
        }
        fmt::format_to(std::back_inserter(paths[shade]), "M{} {}h{}", cells[i].column, cells[i].row, end - i);
        i = end;
    }
    page.shape("rect", {{"x", svg_number(frame.left)},
                        {"y", svg_number(frame.top)},
                        {"width", svg_number(frame.width)},
                        {"height", svg_number(frame.height)},
                        {"fill", "#ffffff"},
                        {"stroke", "#888888"}});
    page.open("g", {{"transform", fmt::format("translate({} {}) scale({:.6g} {:.6g}) translate(0 0.5)",
                                              svg_number(frame.left), svg_number(frame.top),
                                              frame.width / frame.columns, frame.height / frame.rows)},
                    {"fill", "none"},
                    {"stroke-width", "1"},
                    {"shape-rendering", "crispEdges"}});
    for (std::uint32_t shade = 0; shade < HeatScale::shades; ++shade) {
        if (!paths[shade].empty())
            page.shape("path", {{"stroke", HeatScale::colour(shade)}, {"d", std::move(paths[shade])}});
    }
    page.close("g");
}

void draw_heat_legend(SvgPage& page, double left, double top, double width, const HeatScale& scale,
                      const std::function<std::string(double)>& words) {
    constexpr double height = 10;
    const bool flat = scale.most() <= scale.least();
    const double each = width / HeatScale::shades;
    for (std::uint32_t shade = 0; shade < HeatScale::shades; ++shade) {
        page.shape("rect", {{"x", svg_number(left + each * shade)},
                            {"y", svg_number(top)},
                            {"width", svg_number(each + 0.3)},
                            {"height", svg_number(height)},
                            {"fill", HeatScale::colour(flat ? HeatScale::shades - 1 : shade)}});
    }
    // The ends, and what fits between them.
    double free_from = left;
    const double last = left + width - (flat ? 0 : text_width(words(scale.most()), 10)) - 8;
    const auto label = [&](double value, double at, const char* anchor) {
        page.text(at, top + height + 12, words(value), {{"font-size", "10"}, {"text-anchor", anchor}});
    };
    if (flat) return label(scale.most(), left + width / 2, "middle");
    label(scale.least(), left, "start");
    label(scale.most(), left + width, "end");
    free_from += text_width(words(scale.least()), 10) + 8;
    for (double power = std::pow(10, std::ceil(std::log10(scale.least()))); power < scale.most(); power *= 10) {
        const double at = left + width * scale.share(power);
        const double half = text_width(words(power), 10) / 2;
        page.shape("line", {{"x1", svg_number(at)},
                            {"x2", svg_number(at)},
                            {"y1", svg_number(top + height)},
                            {"y2", svg_number(top + height + 3)},
                            {"stroke", "#888888"}});
        if (at - half < free_from || at + half > last) continue;
        label(power, at, "middle");
        free_from = at + half + 8;
    }
}

} // namespace orrery
