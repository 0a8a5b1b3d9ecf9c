// Measured points and the fitted model over the message size, both axes logarithmic, as SVG.
#pragma once

#include "tools/calibrate/piecewise_fit.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct PlottedFit {
    std::string label;
    std::vector<FitPoint> points;
    std::vector<FitPiece> pieces; // empty: points only
    std::string no_curve = {};    // why there is none, or none above curve_to; it stands in the legend
    double curve_to = INFINITY;   // bytes
};

struct FitPlot {
    std::string title;
    std::string note; // a line below the title
    std::vector<PlottedFit> series;
    std::optional<double> eager_limit; // a dashed line
};

std::string draw_fit(const FitPlot& plot);

} // namespace orrery
