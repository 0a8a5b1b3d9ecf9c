// Measurements of a machine that was in several states one after the other: see keep_longest_state().
#include "tools/calibrate/measurements.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr Bytes short_message = 1024;
constexpr double apart = 1.2; // two states differ by at least this factor in short round trips

// Samples of a round in a series; none if the series was not measured in rounds.
std::size_t per_round(const MeasuredSeries& series, std::uint32_t rounds) {
    return series.samples.size() % rounds == 0 ? series.samples.size() / rounds : 0;
}

// How slow each round was: the median over short round trips, relative to that of all rounds.
std::vector<double> slowness(const Measurements& measured) {
    std::vector<std::vector<double>> ratios(measured.rounds);
    for (const MeasuredSeries* each : measured.of("round_trip")) {
        const std::size_t count = per_round(*each, measured.rounds);
        if (each->bytes > short_message || count == 0) continue;
        const double middle = quantile(each->samples, 0.5);
        if (middle <= 0) continue;
        for (std::size_t round = 0; round < measured.rounds; ++round) {
            const auto first = each->samples.begin() + static_cast<std::ptrdiff_t>(round * count);
            ratios[round].push_back(
                quantile(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(count)), 0.5) / middle);
        }
    }
    std::vector<double> result;
    for (std::vector<double>& each : ratios) result.push_back(quantile(std::move(each), 0.5));
    return result;
}

} // namespace

std::string keep_longest_state(Measurements& measured) {
    const std::vector<double> slow = slowness(measured);
    std::vector<double> sorted(slow);
    std::sort(sorted.begin(), sorted.end());
    // Groups of rounds that are alike, between gaps; the largest is kept.
    std::size_t best_from = 0;
    std::size_t best_to = 0;
    for (std::size_t from = 0; from < sorted.size();) {
        std::size_t to = from + 1;
        while (to < sorted.size() && sorted[to] < apart * sorted[to - 1]) ++to;
        if (to - from > best_to - best_from) {
            best_from = from;
            best_to = to;
        }
        from = to;
    }
    const std::size_t kept = best_to - best_from;
    if (kept == 0 || kept == slow.size()) return {};
    const double least = sorted[best_from];
    const double most = sorted[best_to - 1];
    measured.samples = 0;
    for (MeasuredSeries& series : measured.series) {
        const std::size_t count = per_round(series, measured.rounds);
        std::vector<double> samples;
        for (std::size_t i = 0; i < series.samples.size() && count > 0; ++i) {
            const double round = slow[i / count];
            if (round >= least && round <= most) samples.push_back(series.samples[i]);
        }
        if (!samples.empty()) {
            series.samples = std::move(samples);
            series.typical = quantile(series.samples, 0.25);
        }
        measured.samples += series.samples.size();
    }
    const std::size_t rounds = measured.rounds;
    measured.rounds = static_cast<std::uint32_t>(kept);
    return fmt::format(
        "the machine was in several states, in which short messages take different times; {} of {} "
        "rounds, the largest group, are used",
        kept, rounds);
}

} // namespace orrery
