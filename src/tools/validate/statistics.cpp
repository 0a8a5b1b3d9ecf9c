#include "tools/validate/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery {

namespace {

constexpr double near_deviations = 3;
constexpr double near_share = 0.02;

struct Moments {
    double mean = 0;
    double deviation = 0;
};

// Of the runs with these numbers.
Moments moments(std::span<const double> seconds, std::span<const std::size_t> which) {
    Moments out;
    const auto count = static_cast<double>(which.size());
    for (const std::size_t run : which) out.mean += seconds[run] / count;
    double squares = 0;
    for (const std::size_t run : which) squares += (seconds[run] - out.mean) * (seconds[run] - out.mean);
    out.deviation = which.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    return out;
}

} // namespace

CleanRuns clean_runs(std::span<const double> seconds) {
    CleanRuns clean;
    std::vector<std::size_t> order(seconds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
    std::size_t size = order.size();
    if (size >= 3) size = static_cast<std::size_t>(std::ceil(clean_share * static_cast<double>(size) - 1e-9));
    // The subset of a given size with the least deviation has no gap in the order of times.
    std::size_t first = 0;
    Moments best = moments(seconds, std::span(order).first(size));
    for (std::size_t i = 1; i + size <= order.size(); ++i) {
        const Moments each = moments(seconds, std::span(order).subspan(i, size));
        if (each.deviation >= best.deviation) continue;
        best = each;
        first = i;
    }
    const double near = std::max(near_deviations * best.deviation, near_share * best.mean);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool core = i >= first && i < first + size;
        const bool kept = core || std::abs(seconds[order[i]] - best.mean) <= near;
        (kept ? clean.kept : clean.outliers).push_back(order[i]);
    }
    std::sort(clean.kept.begin(), clean.kept.end());
    std::sort(clean.outliers.begin(), clean.outliers.end());
    const Moments all = moments(seconds, clean.kept);
    clean.mean = all.mean;
    clean.deviation = all.deviation;
    return clean;
}

bool can_show(const CleanRuns& clean, double error) {
    return clean.spread() <= std::max(std::abs(error), quiet_spread);
}

ErrorSplit split_error(const SplitTimes& times) {
    if (times.measured <= 0) return {};
    return {(times.predicted - times.measured) / times.measured,
            (times.predicted - times.exact) / times.measured, (times.exact - times.traced) / times.measured,
            (times.traced - times.measured) / times.measured};
}

ErrorSummary summarise(std::span<const double> errors) {
    ErrorSummary summary;
    const auto count = static_cast<double>(errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i) {
        summary.bias += errors[i] / count;
        summary.mean_absolute += std::abs(errors[i]) / count;
        if (std::abs(errors[i]) > std::abs(errors[summary.worst])) summary.worst = i;
    }
    return summary;
}

} // namespace orrery
