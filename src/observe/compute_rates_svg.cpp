// The picture of compute rates: a shade for each bin of size and rate, the average as a line.
#include "engine/units.h"
#include "observe/compute_rates.h"
#include "observe/heat_map.h"
#include "observe/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double rates_left = 90;
constexpr double rates_top = 64;
constexpr double rates_width = 640;
constexpr double rates_height = 380;

// The bins of an axis that are shown: those that there are, and a few around them.
struct BinRange {
    int from = 0;
    int to = 1; // beyond the last
    int per_decade = 1;

    BinRange(int least, int most, int bins_per_decade) : per_decade(bins_per_decade) {
        const int around = std::max(1, bins_per_decade / 8);
        from = least - around;
        to = most + 1 + around;
        // A third of a decade at least, so that there is a tick.
        const int missing = bins_per_decade / 3 - (to - from);
        if (missing > 0) from -= missing / 2, to += missing - missing / 2;
    }
    [[nodiscard]] int bins() const { return to - from; }
    // From 0 to 1.
    [[nodiscard]] double share(double value) const { return (std::log10(value) * per_decade - from) / bins(); }
};

// 1, 2 and 5 of each decade; of many decades the powers of ten alone.
std::vector<double> bin_ticks(const BinRange& range, double unit) {
    std::vector<double> ticks;
    const double decades = static_cast<double>(range.bins()) / range.per_decade;
    const double least = std::pow(10, static_cast<double>(range.from) / range.per_decade) / unit;
    for (double power = std::floor(std::log10(least)); power <= std::log10(least) + decades + 1; ++power) {
        for (const double digit : {1.0, 2.0, 5.0}) {
            if (digit != 1 && decades > 2.5) continue;
            const double value = digit * std::pow(10, power) * unit;
            const double share = range.share(value);
            if (share >= -1e-9 && share <= 1 + 1e-9) ticks.push_back(value);
        }
    }
    return ticks;
}

std::string short_time(double seconds) {
    constexpr std::array<std::pair<double, const char*>, 4> units{
        {{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00B5s"}, {1e-9, "ns"}}};
    for (const auto& [unit, name] : units) {
        if (seconds >= unit * (1 - 1e-9)) return fmt::format("{:.3g} {}", seconds / unit, name);
    }
    return fmt::format("{:.3g} ps", seconds * 1e12);
}

// How sizes and rates are written.
struct RateWords {
    const CountedVolume& counted;

    [[nodiscard]] bool cpu_time() const { return counted.per_cpu_second > 0; }
    [[nodiscard]] std::string size_title() const {
        return cpu_time() ? std::string("CPU time of a burst") : counted.unit + " of a burst";
    }
    [[nodiscard]] std::string rate_title() const {
        return cpu_time() ? std::string("CPU time per wall-clock time (% of a core)")
                          : counted.unit + " per second";
    }
    [[nodiscard]] std::string size(double volume) const {
        if (cpu_time()) return short_time(volume / counted.per_cpu_second);
        if (volume < 1e15) return format_count(static_cast<std::uint64_t>(std::llround(volume)));
        return fmt::format("{:.3g}", volume);
    }
    [[nodiscard]] std::string rate(double rate) const {
        return cpu_time() ? fmt::format("{:.3g} %", 100 * rate / counted.per_cpu_second) : format_rate(rate);
    }
    [[nodiscard]] double size_unit() const { return cpu_time() ? counted.per_cpu_second : 1; }
    [[nodiscard]] double rate_unit() const { return cpu_time() ? counted.per_cpu_second / 100 : 1; }
};

void grid_line(SvgPage& page, double x1, double y1, double x2, double y2) {
    page.shape("line", {{"x1", svg_number(x1)},
                        {"y1", svg_number(y1)},
                        {"x2", svg_number(x2)},
                        {"y2", svg_number(y2)},
                        {"stroke", "#000000"},
                        {"stroke-opacity", "0.12"}});
}

void draw_rate_axes(SvgPage& page, const BinRange& sizes, const BinRange& rates, const RateWords& words) {
    double free_from = 0; // right of the last label
    for (const double size : bin_ticks(sizes, words.size_unit())) {
        const double x = rates_left + rates_width * sizes.share(size);
        grid_line(page, x, rates_top, x, rates_top + rates_height);
        const std::string text = words.size(size);
        const double half = text_width(text, 11) / 2;
        if (x - half < free_from) continue;
        page.text(x, rates_top + rates_height + 16, text, {{"text-anchor", "middle"}});
        free_from = x + half + 6;
    }
    for (const double rate : bin_ticks(rates, words.rate_unit())) {
        const double y = rates_top + rates_height * (1 - rates.share(rate));
        grid_line(page, rates_left, y, rates_left + rates_width, y);
        page.text(rates_left - 8, y + 4, words.rate(rate), {{"text-anchor", "end"}});
    }
    page.text(rates_left + rates_width / 2, rates_top + rates_height + 34, words.size_title(),
              {{"text-anchor", "middle"}});
    page.text(
        0, 0, words.rate_title(),
        {{"text-anchor", "middle"},
         {"transform", fmt::format("translate(18 {}) rotate(-90)", svg_number(rates_top + rates_height / 2))}});
}

// The words stand outside of the data.
void draw_average(SvgPage& page, const BinRange& rates, double average, const RateWords& words) {
    const double y = rates_top + rates_height * (1 - rates.share(average));
    page.shape("line", {{"x1", svg_number(rates_left)},
                        {"y1", svg_number(y)},
                        {"x2", svg_number(rates_left + rates_width + 6)},
                        {"y2", svg_number(y)},
                        {"stroke", "#d62728"},
                        {"stroke-width", "1.5"}});
    page.text(rates_left + rates_width + 10, y - 1, "average", {{"fill", "#d62728"}});
    page.text(rates_left + rates_width + 10, y + 12, words.rate(average), {{"fill", "#d62728"}});
}

} // namespace

std::string rates_svg(const ComputeRates& rates, const std::string& title, const CountedVolume& counted) {
    SvgPage page;
    const RateWords words{counted};
    const double page_width = rates_left + rates_width + 84;
    const double page_height = rates_top + rates_height + 86;
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    const std::string what = fmt::format("{} bursts of computation, {} on average",
                                         format_count(rates.bursts()), words.rate(rates.average()));
    draw_head(page, page_width, title, what, "");
    if (!rates.bins().empty()) {
        int least = rates.bins().begin()->first.second;
        int most = least;
        for (const auto& [bin, count] : rates.bins()) {
            least = std::min(least, bin.second);
            most = std::max(most, bin.second);
        }
        const auto average =
            static_cast<int>(std::floor(std::log10(rates.average()) * ComputeRates::rates_per_decade));
        const BinRange x(rates.bins().begin()->first.first, rates.bins().rbegin()->first.first,
                         ComputeRates::sizes_per_decade);
        const BinRange y(std::min(least, average), std::max(most, average), ComputeRates::rates_per_decade);
        const auto columns = static_cast<std::uint32_t>(x.bins());
        const auto rows = static_cast<std::uint32_t>(y.bins());
        std::vector<HeatCell> cells;
        for (const auto& [bin, count] : rates.bins()) {
            cells.push_back({static_cast<std::uint32_t>(bin.first - x.from),
                             static_cast<std::uint32_t>(y.to - 1 - bin.second), static_cast<double>(count)});
        }
        std::sort(cells.begin(), cells.end(), [](const HeatCell& a, const HeatCell& b) {
            return std::pair(a.row, a.column) < std::pair(b.row, b.column);
        });
        const HeatScale scale(cells);
        draw_heat(page, {rates_left, rates_top, rates_width, rates_height, columns, rows}, cells, scale);
        draw_rate_axes(page, x, y, words);
        draw_average(page, y, rates.average(), words);
        page.text(rates_left, rates_top + rates_height + 60, "bursts");
        draw_heat_legend(page, rates_left + 44, rates_top + rates_height + 51, 260, scale, [](double value) {
            return format_count(static_cast<std::uint64_t>(std::llround(value)));
        });
    }
    return page.take(page_width, page_height, title, "compute rates: " + what);
}

} // namespace orrery
