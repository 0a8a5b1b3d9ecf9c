#include "tools/calibrate/loggops_fit.h"

#include "engine/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double shortest_fit_scale = 20; // ns: shorter times are not known to a few percent

PiecewiseFit one_line(const std::vector<FitPoint>& points) {
    FitOptions options;
    options.most_pieces = 1;
    return fit_piecewise(points, options);
}

} // namespace

LogGOPSFit fit_loggops(const Measurements& measured) {
    LogGOPSFit fit;
    fit.S = measured.eager_limit;
    const double gaps = measured.burst - 1;
    double shortest = 0;
    for (const MeasuredSeries* single : measured.of("round_trip")) {
        const MeasuredSeries* const burst = measured.find("burst", single->bytes);
        const MeasuredSeries* const spaced = measured.find("spaced", single->bytes);
        if (burst == nullptr || spaced == nullptr) continue;
        const auto bytes = static_cast<double>(single->bytes);
        if (single->bytes <= 1) shortest = single->typical; // that of 1 byte comes last
        const MeasuredSeries* const isend = measured.find("isend", single->bytes);
        const bool eager = !fit.S || single->bytes <= *fit.S;
        const double o = eager || isend == nullptr
                             ? (spaced->typical - single->typical) / gaps - spaced->delay_ns
                             : isend->typical;
        fit.overhead.push_back({bytes, std::max(o, 0.0), std::max(o, shortest_fit_scale)});
        const double gap = (burst->typical - single->typical) / gaps;
        fit.gap.push_back({bytes, std::max(gap, 0.0), std::max(gap, shortest_fit_scale)});
    }
    if (fit.gap.empty())
        throw InputError(
            Error{measured.file, 0, 0, "LogGOPS needs round_trip, burst and spaced of some sizes"});
    const PiecewiseFit overhead = one_line(fit.overhead);
    const PiecewiseFit gap = one_line(fit.gap);
    fit.o = overhead.pieces.front().base;
    fit.O = overhead.pieces.front().per_byte;
    fit.g = gap.pieces.front().base;
    fit.G = gap.pieces.front().per_byte;
    fit.overhead_error = overhead.mean_error;
    fit.gap_error = gap.mean_error;
    fit.L = shortest / 2 - 2 * fit.o;
    if (fit.L < 0) {
        fit.notes.push_back(
            fmt::format("L would be {:.0f} ns: overheads overlap the flight; taken as 0", fit.L));
        fit.L = 0;
    }
    double errors = 0;
    std::size_t count = 0;
    for (const MeasuredSeries* single : measured.of("round_trip")) {
        const auto bytes = static_cast<double>(single->bytes);
        const double predicted = 2 * (fit.L + 2 * (fit.o + bytes * fit.O) + bytes * fit.G);
        errors += std::abs(predicted - single->typical) / std::max(single->typical, shortest_fit_scale);
        ++count;
    }
    fit.round_trip_error = errors / static_cast<double>(count);
    return fit;
}

} // namespace orrery
