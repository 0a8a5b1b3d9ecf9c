#include "tools/calibrate/compute_rate.h"

#include "engine/error.h"
#include "formats/ort/recorded_trace.h"
#include "tools/calibrate/measurements.h"

#include <algorithm>
#include <cmath>

namespace orrery {

namespace {

struct RateTotals {
    double volume = 0;
    double seconds = 0;
    std::vector<double> rates;
};

RateClass class_of(double from, const RateTotals& totals) {
    return {from,
            totals.volume / totals.seconds,
            quantile(totals.rates, 0.1),
            quantile(totals.rates, 0.9),
            totals.rates.size(),
            totals.seconds};
}

double decade_of(double volume) { return std::floor(std::log10(volume)); }

// `bursts` is sorted by volume. Returns how many were left out.
std::uint64_t leave_out_interrupted(std::vector<Burst>& bursts) {
    std::vector<Burst> kept;
    for (std::size_t from = 0; from < bursts.size();) {
        std::size_t to = from;
        std::vector<double> rates;
        for (; to < bursts.size() && decade_of(bursts[to].volume) == decade_of(bursts[from].volume); ++to)
            rates.push_back(bursts[to].volume / bursts[to].seconds);
        const double slow = quantile(rates, 0.5) / 2;
        const auto count = static_cast<std::size_t>(
            std::count_if(rates.begin(), rates.end(), [&](double rate) { return rate < slow; }));
        const bool few = 10 * count < rates.size(); // otherwise it is how the application is
        for (std::size_t i = from; i < to; ++i) {
            if (!few || rates[i - from] >= slow) kept.push_back(bursts[i]);
        }
        from = to;
    }
    const std::uint64_t left_out = bursts.size() - kept.size();
    bursts = std::move(kept);
    return left_out;
}

double rate_at(const std::vector<RateClass>& classes, double volume) {
    double rate = classes.front().rate;
    for (const RateClass& each : classes) {
        if (volume >= each.from) rate = each.rate;
    }
    return rate;
}

} // namespace

ComputeRate fit_rate(std::vector<Burst> bursts) {
    std::erase_if(bursts, [](const Burst& burst) { return !(burst.volume > 0 && burst.seconds > 0); });
    if (bursts.empty()) throw InputError("there is no computation with a volume and a duration");
    std::sort(bursts.begin(), bursts.end(), [](const Burst& a, const Burst& b) { return a.volume < b.volume; });
    ComputeRate fit;
    fit.interrupted = leave_out_interrupted(bursts);
    fit.bursts = bursts.size();
    double volume = 0;
    for (const Burst& burst : bursts) {
        volume += burst.volume;
        fit.seconds += burst.seconds;
    }
    fit.average = volume / fit.seconds;

    // Decades; one with few bursts joins the next, and neighbours that agree to 3 % become one.
    constexpr std::size_t few = 5;
    constexpr double alike = 0.03;
    std::vector<std::pair<double, RateTotals>> decades;
    for (const Burst& burst : bursts) {
        const double from = std::pow(10, decade_of(burst.volume));
        if (decades.empty() || (burst.volume >= 10 * decades.back().first && from > decades.back().first &&
                                decades.back().second.rates.size() >= few))
            decades.emplace_back(from, RateTotals{});
        RateTotals& totals = decades.back().second;
        totals.volume += burst.volume;
        totals.seconds += burst.seconds;
        totals.rates.push_back(burst.volume / burst.seconds);
    }
    std::vector<std::pair<double, RateTotals>> merged;
    for (auto& [from, totals] : decades) {
        if (!merged.empty()) {
            RateTotals& last = merged.back().second;
            const double ratio = (totals.volume / totals.seconds) / (last.volume / last.seconds);
            if (std::abs(ratio - 1) < alike || totals.rates.size() < few) {
                last.volume += totals.volume;
                last.seconds += totals.seconds;
                last.rates.insert(last.rates.end(), totals.rates.begin(), totals.rates.end());
                continue;
            }
        }
        merged.emplace_back(from, std::move(totals));
    }
    for (const auto& [from, totals] : merged) fit.classes.push_back(class_of(from, totals));
    fit.classes.front().from = 0;

    for (const Burst& burst : bursts) {
        fit.average_error += std::abs(burst.volume / fit.average - burst.seconds);
        fit.class_error += std::abs(burst.volume / rate_at(fit.classes, burst.volume) - burst.seconds);
    }
    fit.average_error /= fit.seconds;
    fit.class_error /= fit.seconds;
    return fit;
}

ComputeRate rate_of_trace(const std::string& path) {
    const RecordedTrace trace = RecordedTrace::open(path);
    if (!trace.begin().timed) {
        throw InputError(
            Error{path, 0, 0, "has no time stamps; record it with 'orrery trace --timed' to get a rate"});
    }
    const auto source = trace.timed_source();
    std::vector<Burst> bursts;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        for (;;) {
            const std::span<const Action> window = source->next(RankId{rank});
            if (window.empty()) break;
            const std::span<const recorded::ActionTimes> times = source->times(RankId{rank});
            for (std::size_t i = 0; i < window.size(); ++i) {
                if (window[i].kind != ActionKind::compute) continue;
                bursts.push_back({window[i].volume, static_cast<double>(times[i].end - times[i].begin) * 1e-9});
            }
        }
    }
    ComputeRate rate;
    try {
        rate = fit_rate(std::move(bursts));
    } catch (const InputError& error) {
        throw InputError(Error{path, 0, 0, error.error().reason});
    }
    rate.trace = path;
    rate.counter = trace.begin().counter;
    return rate;
}

} // namespace orrery
