// A chart fit for a paper: lines with markers over an axis of numbers, or groups of bars over one of words.
//
// It knows nothing of studies. Colours stay apart for colour-blind readers (after Okabe and Ito) and each line
// has a marker of its own, so that it can be told in black and white.
#pragma once

#include "observe/quantity.h"

#include <span>
#include <string>
#include <vector>

namespace orrery {

struct ChartPoint {
    double x = 0; // of a chart of bars: the number of the word
    double y = 0;
    double low = 0; // a range is drawn if it is not just y
    double high = 0;
};

struct ChartSeries {
    std::string label;
    std::vector<ChartPoint> points; // by ascending x
};

struct ChartAxis {
    std::string words;
    Measure measure = Measure::plain;
    bool log = false;
    bool cut = false; // may start above zero where values are alike; the picture then says so
};

struct Chart {
    std::string title;
    std::string warning; // a loud line below the title: what makes the picture doubtful
    std::string note;    // a quiet one
    ChartAxis x;
    ChartAxis y;
    std::vector<std::string> categories; // not empty: bars over these words
    std::string legend;                  // its heading
    std::vector<ChartSeries> series;
    double width = 460; // of the plot, in pixels
};

// The SVG document.
std::string draw_chart(const Chart& chart);
// Several, one below the other.
std::string draw_charts(std::span<const Chart> charts);

} // namespace orrery
