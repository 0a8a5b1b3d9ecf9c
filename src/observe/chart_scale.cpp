#include "observe/chart_scale.h"

#include "observe/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

ChartScale ChartScale::vertical(const ChartAxis& axis, double least, double most, bool bars, double bottom,
                                double top) {
    ChartScale scale;
    scale.axis_ = axis;
    scale.axis_.log = axis.log && least > 0;
    scale.first_pixel_ = bottom;
    scale.last_pixel_ = top;
    if (scale.axis_.log) {
        scale.from_ = least / 1.3;
        scale.to_ = most * 1.3;
        scale.make_log_ticks();
    } else {
        const double span = most - least;
        const bool alike = axis.cut && !bars && least > 0.6 * most && span > 1e-9 * most;
        constexpr double room = 0.06;
        scale.from_ = alike ? least - 0.1 * span : std::min(0.0, (1 + room) * least);
        scale.to_ = most > 0 ? most + room * (alike ? span : most) : least < 0 ? 0 : 1;
        scale.make_even_ticks(38);
    }
    return scale;
}

ChartScale ChartScale::horizontal(const ChartAxis& axis, const std::vector<double>& values, double left,
                                  double right) {
    ChartScale scale;
    scale.axis_ = axis;
    const double least = values.empty() ? 0 : values.front();
    const double most = values.empty() ? 1 : values.back();
    scale.axis_.log = axis.log && least > 0;
    constexpr double margin = 18; // so that no marker lies on the frame
    scale.first_pixel_ = left + margin;
    scale.last_pixel_ = right - margin;
    scale.from_ = least;
    scale.to_ = most;
    if (least == most) { // one value stands in the middle
        const double room = least == 0 ? 1 : std::abs(least) / 2;
        scale.from_ = least - room;
        scale.to_ = most + room;
    }
    if (!scale.axis_.log && values.size() > 1) {
        scale.make_even_ticks(60);
        return scale;
    }
    scale.words_ = axis.words;
    double free_from = -INFINITY; // right of the last label
    for (const double value : values) {
        const double pixel = scale.pixel(value);
        const std::string words = quantity_words(value, axis.measure);
        const double half = text_width(words, 10) / 2;
        const bool room = pixel - half > free_from;
        scale.ticks_.push_back({pixel, room ? words : std::string()});
        if (room) free_from = pixel + half + 6;
    }
    return scale;
}

double ChartScale::pixel(double value) const {
    const double share =
        axis_.log ? std::log(value / from_) / std::log(to_ / from_) : (value - from_) / (to_ - from_);
    return first_pixel_ + share * (last_pixel_ - first_pixel_);
}

void ChartScale::make_even_ticks(double apart) {
    const DisplayUnit unit = display_unit(std::max(std::abs(from_), std::abs(to_)), axis_.measure);
    words_ = unit.name.empty() ? axis_.words : fmt::format("{} ({})", axis_.words, unit.name);
    const double step = tick_step((to_ - from_) / unit.factor, std::abs(last_pixel_ - first_pixel_), apart);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    const double first = std::ceil(from_ / unit.factor / step - 1e-9);
    const double last = std::floor(to_ / unit.factor / step + 1e-9);
    for (double i = 0; i <= last - first && i < 100; ++i) { // values that hardly differ could make it endless
        const double tick = first + i;
        const double value = tick * step + 0.0; // not "-0"
        const std::string words =
            decimals == 0 ? quantity_words(value, Measure::plain) : fmt::format("{:.{}f}", value, decimals);
        ticks_.push_back({pixel(value * unit.factor), words});
    }
}

// At 1, 2 and 5 of each decade, or at decades alone if there are many of them.
void ChartScale::make_log_ticks() {
    words_ = axis_.words;
    const double decades = std::log10(to_ / from_);
    for (double power = std::floor(std::log10(from_)); power <= std::ceil(std::log10(to_)); ++power) {
        for (const double digit : {1.0, 2.0, 5.0}) {
            if (digit != 1 && decades > 3.5) continue;
            const double value = digit * std::pow(10, power);
            if (value < from_ || value > to_) continue;
            ticks_.push_back({pixel(value), quantity_words(value, axis_.measure)});
        }
    }
}

} // namespace orrery
