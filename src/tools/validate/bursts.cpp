#include "tools/validate/bursts.h"

#include "results/calls.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace orrery {

namespace {

constexpr double seconds_of(const recorded::ActionTimes& times) {
    return static_cast<double>(times.end - times.begin) * 1e-9;
}

constexpr std::array<double, burst_classes> class_bounds{1e-6, 1e-5, 1e-3, INFINITY};

} // namespace

ExactComputation::ExactComputation(std::unique_ptr<RecordedTrace::TimedSource> trace, std::vector<double> rates)
    : trace_(std::move(trace)), rates_(std::move(rates)), windows_(trace_->ranks()) {}

std::span<const Action> ExactComputation::next(RankId rank) {
    const std::span<const Action> recorded = trace_->next(rank);
    const std::span<const recorded::ActionTimes> times = trace_->times(rank);
    std::vector<Action>& window = windows_[rank.index()];
    window.assign(recorded.begin(), recorded.end());
    for (std::size_t i = 0; i < window.size(); ++i) {
        if (window[i].kind == ActionKind::compute)
            window[i].volume = seconds_of(times[i]) * rates_[rank.index()];
    }
    return window;
}

std::span<const Bytes> ExactComputation::counts(RankId rank, const Action& action) const {
    return trace_->counts(rank, action);
}

TracedTimes traced_times(RecordedTrace::TimedSource& trace, const Platform& platform,
                         std::span<const HostId> hosts, double rate) {
    TracedTimes out;
    for (std::size_t i = 0; i < burst_classes; ++i) out.bursts[i].below = class_bounds[i];
    const auto ranks = static_cast<double>(trace.ranks());
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        for (std::span<const Action> window; !(window = trace.next({rank})).empty();) {
            const std::span<const recorded::ActionTimes> times = trace.times({rank});
            for (std::size_t i = 0; i < window.size(); ++i) {
                const Action& action = window[i];
                const double seconds = seconds_of(times[i]);
                const auto kind = static_cast<std::size_t>(call_kind(action));
                if (action.kind == ActionKind::compute) {
                    BurstClass* each = out.bursts.data();
                    while (seconds >= each->below) ++each;
                    ++each->bursts;
                    each->seconds += seconds;
                    each->predicted +=
                        action.volume / (rate > 0 ? rate : platform.speed(hosts[rank], action.volume));
                } else {
                    // Of a call that became several actions, the first one has all of its time.
                    if (times[i].end > times[i].begin) ++out.calls;
                }
                out.by_kind[kind] += seconds / ranks;
            }
        }
    }
    return out;
}

double TracedTimes::outside() const { return outside_mpi(by_kind); }
double TracedTimes::inside() const { return inside_mpi(by_kind); }

double outside_mpi(const KindSeconds& by_kind) { return by_kind[static_cast<std::size_t>(CallKind::compute)]; }

double inside_mpi(const KindSeconds& by_kind) {
    return std::accumulate(by_kind.begin(), by_kind.end(), 0.0) - outside_mpi(by_kind);
}

KindSeconds mean_seconds(const std::vector<CallTimes>& calls) {
    KindSeconds out{};
    for (const CallTimes& rank : calls) {
        for (std::size_t kind = 0; kind < call_kinds; ++kind)
            out[kind] += rank.by_kind[kind].seconds() / static_cast<double>(calls.size());
    }
    return out;
}

} // namespace orrery
