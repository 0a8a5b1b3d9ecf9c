// The picture of compute rates: a shade for each bin of size and rate, the average as a line.
#include "engine/units.h"
#include "observe/compute_rates.h"
#include "observe/heat_map.h"
#include "observe/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double rates_left = 76;
constexpr double rates_top = 64;
constexpr double rates_width = 640;
constexpr double rates_height = 380;

// Whole decades around what there is.
struct Range {
    int from = 0;
    int to = 1;
    Range(int least, int most, int per_decade)
        : from(static_cast<int>(std::floor(static_cast<double>(least) / per_decade))),
          to(static_cast<int>(std::floor(static_cast<double>(most) / per_decade)) + 1) {}
    [[nodiscard]] int decades() const { return to - from; }
};

// 10 to a power, as people write it.
void power_text(SvgPage& page, double x, double y, int power, const char* anchor) {
    page.raw(
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">10<tspan dy=\"-5\" font-size=\"8\">{}</tspan>"
                    "</text>\n",
                    svg_number(x), svg_number(y), anchor, power));
}

void grid_line(SvgPage& page, double x1, double y1, double x2, double y2) {
    page.shape("line", {{"x1", svg_number(x1)},
                        {"y1", svg_number(y1)},
                        {"x2", svg_number(x2)},
                        {"y2", svg_number(y2)},
                        {"stroke", "#000000"},
                        {"stroke-opacity", "0.12"}});
}

void draw_rates_axes(SvgPage& page, const Range& sizes, const Range& rates, const std::string& unit) {
    for (int power = sizes.from; power <= sizes.to; ++power) {
        const double x = rates_left + rates_width * (power - sizes.from) / sizes.decades();
        grid_line(page, x, rates_top, x, rates_top + rates_height);
        power_text(page, x, rates_top + rates_height + 16, power, "middle");
    }
    for (int power = rates.from; power <= rates.to; ++power) {
        const double y = rates_top + rates_height * (rates.to - power) / rates.decades();
        grid_line(page, rates_left, y, rates_left + rates_width, y);
        power_text(page, rates_left - 8, y + 4, power, "end");
    }
    page.text(rates_left + rates_width / 2, rates_top + rates_height + 34, unit + " of a burst",
              {{"text-anchor", "middle"}});
    page.text(
        0, 0, unit + " per second",
        {{"text-anchor", "middle"},
         {"transform", fmt::format("translate(26 {}) rotate(-90)", svg_number(rates_top + rates_height / 2))}});
}

void draw_average(SvgPage& page, const Range& rates, double average) {
    const double y = rates_top + rates_height * (rates.to - std::log10(average)) / rates.decades();
    page.shape("line", {{"x1", svg_number(rates_left)},
                        {"y1", svg_number(y)},
                        {"x2", svg_number(rates_left + rates_width)},
                        {"y2", svg_number(y)},
                        {"stroke", "#d62728"},
                        {"stroke-width", "1.5"}});
    page.text(rates_left + 6, y - 5, "average " + format_rate(average), {{"fill", "#d62728"}});
}

} // namespace

std::string rates_svg(const ComputeRates& rates, const std::string& title, const std::string& unit) {
    SvgPage page;
    const double page_width = rates_left + rates_width + 24;
    const double page_height = rates_top + rates_height + 86;
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    const std::string what = fmt::format("{} bursts of computation, {} on average",
                                         format_count(rates.bursts()), format_rate(rates.average()));
    draw_head(page, page_width, title, what, "");
    if (!rates.bins().empty()) {
        int least = rates.bins().begin()->first.second;
        int most = least;
        for (const auto& [bin, count] : rates.bins()) {
            least = std::min(least, bin.second);
            most = std::max(most, bin.second);
        }
        const Range x(rates.bins().begin()->first.first, rates.bins().rbegin()->first.first,
                      ComputeRates::sizes_per_decade);
        const Range y(least, most, ComputeRates::rates_per_decade);
        const auto columns = static_cast<std::uint32_t>(x.decades() * ComputeRates::sizes_per_decade);
        const auto rows = static_cast<std::uint32_t>(y.decades() * ComputeRates::rates_per_decade);
        std::vector<HeatCell> cells;
        for (const auto& [bin, count] : rates.bins()) {
            cells.push_back({static_cast<std::uint32_t>(bin.first - x.from * ComputeRates::sizes_per_decade),
                             static_cast<std::uint32_t>(y.to * ComputeRates::rates_per_decade - 1 - bin.second),
                             static_cast<double>(count)});
        }
        std::sort(cells.begin(), cells.end(), [](const HeatCell& a, const HeatCell& b) {
            return std::pair(a.row, a.column) < std::pair(b.row, b.column);
        });
        const HeatScale scale(cells);
        draw_heat(page, {rates_left, rates_top, rates_width, rates_height, columns, rows}, cells, scale);
        draw_rates_axes(page, x, y, unit);
        draw_average(page, y, rates.average());
        page.text(rates_left, rates_top + rates_height + 60, "bursts");
        draw_heat_legend(page, rates_left + 44, rates_top + rates_height + 51, 260, scale, [](double value) {
            return format_count(static_cast<std::uint64_t>(std::llround(value)));
        });
    }
    return page.take(page_width, page_height, title, "compute rates: " + what);
}

} // namespace orrery
