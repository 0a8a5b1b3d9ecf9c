// What pictures over time have in common: the axis, the end of the run, the head and the notes around the plot.
#pragma once

#include "engine/time.h"
#include "observe/svg_page.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// Where the plot lies on the page, in pixels, and the time that it shows.
struct SvgPlot {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
    Time from;
    Time to;

    [[nodiscard]] double x(Time time) const {
        return left + (right - left) * (time - from).picoseconds() / (to - from).picoseconds();
    }
    [[nodiscard]] double x_inside(Time time) const { return std::clamp(x(time), left, right); }
    [[nodiscard]] bool inside(Time begin, Time end) const { return begin <= to && end >= from; }
};

// A guess that holds for Helvetica and its relatives; text is never measured.
double text_width(std::string_view words, double size);

// The step between ticks: 1, 2 or 5 times a power of ten, so that they stand at least `apart` pixels from each
// other.
double tick_step(double span, double pixels, double apart);

// "74.512 µs".
std::string time_words(Time time);

// A white page and a clip path "plot" for what may stand out of the plot.
void draw_ground(SvgPage& page, const SvgPlot& plot);
void draw_axis(SvgPage& page, const SvgPlot& plot);
void draw_end(SvgPage& page, const SvgPlot& plot, Time end);
// Three lines above the plot, cut to the width of the page.
void draw_head(SvgPage& page, double width, const std::string& title, const std::string& second,
               const std::string& third);
// Below `y`, broken into lines; returns the y below them.
double draw_notes(SvgPage& page, const SvgPlot& plot, const std::vector<std::string>& notes, double y);

} // namespace orrery
