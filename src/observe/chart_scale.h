// An axis of a chart: where a value lies on the page, and which values have a tick.
#pragma once

#include "observe/chart.h"

#include <string>
#include <vector>

namespace orrery {

struct ChartTick {
    double pixel = 0;
    std::string words; // empty: a tick without words
};

class ChartScale {
  public:
    // From zero, unless it is logarithmic or may be cut (axis.cut, no bars) and the values are all alike.
    static ChartScale vertical(const ChartAxis& axis, double least, double most, bool bars, double bottom,
                               double top);
    // Over these values, which are in order. A logarithmic one has its ticks at the values themselves.
    static ChartScale horizontal(const ChartAxis& axis, const std::vector<double>& values, double left,
                                 double right);

    [[nodiscard]] double pixel(double value) const;
    // Where bars stand: at zero, or at the foot of a logarithmic axis.
    [[nodiscard]] double base() const { return axis_.log ? first_pixel_ : pixel(0); }
    // Not logarithmic, and zero lies outside.
    [[nodiscard]] bool cut() const { return !axis_.log && from_ > 0; }
    [[nodiscard]] const std::vector<ChartTick>& ticks() const { return ticks_; }
    // What the axis shows, with its unit if the ticks leave it out.
    [[nodiscard]] const std::string& words() const { return words_; }

  private:
    void make_even_ticks(double apart);
    void make_log_ticks();

    ChartAxis axis_;
    double from_ = 0;
    double to_ = 1;
    double first_pixel_ = 0;
    double last_pixel_ = 1;
    std::vector<ChartTick> ticks_;
    std::string words_;
};

} // namespace orrery
