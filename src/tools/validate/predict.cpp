#include "tools/validate/predict.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace orrery {

namespace {

// `rate`: of a trace that holds CPU time, its volume per second.
ReplayPrediction run(const Simulation& simulation, std::shared_ptr<ActionSource> actions, double rate) {
    Simulation::Job job;
    job.actions = std::move(actions);
    job.cpu_time_rate = rate;
    return simulation.run(std::span(&job, 1), {});
}

double total_volume(const RecordedTrace& trace) {
    double sum = 0;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) sum += trace.rank({rank}).end.volume;
    return sum;
}

} // namespace

std::size_t median_volume(std::span<const double> volumes) {
    std::vector<std::size_t> order(volumes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return volumes[a] < volumes[b]; });
    return order[(order.size() - 1) / 2];
}

std::size_t chosen_trace(const std::vector<std::string>& traces) {
    if (traces.size() == 1) return 0;
    std::vector<double> volumes;
    for (const std::string& each : traces) volumes.push_back(total_volume(RecordedTrace::open(each)));
    return median_volume(volumes);
}

void average_predictions(std::span<const ValidationResult> each, ValidationResult& result) {
    double predicted = 0;
    double traced = 0;
    double exact = 0;
    for (const ValidationResult& one : each) {
        predicted += one.predicted.seconds();
        traced += one.traced;
        if (one.exact) exact += one.exact->predicted.seconds();
    }
    const auto traces = static_cast<double>(each.size());
    const double measured = result.clean.mean;
    result.predicted = Time::from_ps(predicted / traces * 1e12, "the mean prediction");
    result.traced = traced / traces;
    result.error = measured > 0 ? (result.predicted.seconds() - measured) / measured : 0;
    if (!result.exact) return;
    result.exact->predicted = Time::from_ps(exact / traces * 1e12, "the mean prediction");
    result.exact->split =
        split_error({measured, result.traced, result.predicted.seconds(), result.exact->predicted.seconds()});
}

SimulationText with_one_rate(SimulationText text, const Platform& platform) {
    for (std::uint32_t host = 0; host < platform.host_count(); ++host) {
        if (platform.host({host}).bursts == 0) continue;
        // All hosts with a table have the same table, and the same speed beside it.
        text.settings.push_back(
            fmt::format("host.speed_by_burst=0: {:.17g} flop/s", platform.host({host}).speed));
        break;
    }
    return text;
}

void predict(const SimulationText& text, const std::string& trace_path, ValidationResult& result) {
    const Simulation simulation(text, true);
    const RecordedTrace trace = RecordedTrace::open(trace_path);
    const std::uint32_t ranks = result.application.ranks;
    if (trace.ranks() != ranks) {
        throw InputError(
            Error{trace_path, 0, 0,
                  fmt::format("this is a trace of {} ranks; {} are asked for", trace.ranks(), ranks)});
    }
    result.trace = trace_path;
    result.counter = trace.begin().counter;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        result.actions += trace.rank({rank}).actions;
        result.traced = std::max(result.traced, trace.rank({rank}).end.seconds);
    }
    const ReplayPrediction ordinary = run(simulation, trace.source(), trace.begin().reference);
    result.predicted = ordinary.base.time;
    result.predicted_by_kind = mean_seconds(ordinary.calls);
    result.notes = trace.notes();
    result.notes.insert(result.notes.end(), ordinary.notes.begin(), ordinary.notes.end());
    const double measured = result.clean.mean;
    result.error = measured > 0 ? (result.predicted.seconds() - measured) / measured : 0;
    if (!trace.begin().timed) return;

    const Simulation even(with_one_rate(text, simulation.platform()), true);
    const std::vector<HostId> hosts = even.map(ranks);
    std::vector<double> rates;
    for (const HostId host : hosts) rates.push_back(even.platform().speed(host, 0));
    const ReplayPrediction exact =
        run(even, std::make_shared<ExactComputation>(trace.timed_source(), std::move(rates)), 0);
    ExactPrediction& more = result.exact.emplace();
    more.predicted = exact.base.time;
    more.by_kind = mean_seconds(exact.calls);
    const double recorded_rate = simulation.machine().rates_cpu_time() ? 0 : trace.begin().reference;
    more.traced = traced_times(*trace.timed_source(), simulation.platform(), hosts, recorded_rate);
    more.split = split_error({measured, result.traced, result.predicted.seconds(), more.predicted.seconds()});
}

} // namespace orrery
