#include "emulate/compute/compute.h"

#include "engine/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace orrery::emulate {

Compute* running_compute = nullptr;

namespace {

constexpr double most_seconds = 2e6; // what a Time holds with room to spare

} // namespace

void parse_compute(std::string_view words, ComputeOptions& options) {
    options.scale = 1;
    if (words == "measured" || words == "none") {
        options.measured = words == "measured";
        return;
    }
    constexpr std::string_view prefix = "scale=";
    if (words.starts_with(prefix)) {
        const std::string_view number = words.substr(prefix.size());
        double value = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
        if (error == std::errc() && end == number.data() + number.size() && std::isfinite(value) && value > 0) {
            options.measured = true;
            options.scale = value;
            return;
        }
    }
    throw UsageError(
        fmt::format("--compute {}: expected measured, none or scale=NUMBER, such as scale=0.5", words));
}

Compute::Compute(const ComputeOptions& options, KernelTimes kernels, TimeSink& sink)
    : options_(options), kernels_(std::move(kernels)), sink_(sink) {
    static unsigned emulations = 0;
    epoch_ = ++emulations;
    if (options_.measured) {
        trace::start_ticks();
        clock_.start(trace::choose_counter(trace::CounterChoice::cpu_time).kind);
        left_ns_ = clock_.after().value;
    }
    running_compute = this;
}

Compute::~Compute() {
    if (options_.measured) clock_.stop();
    if (running_compute == this) running_compute = nullptr;
}

void Compute::stop() {
    // Not before the last one, if this reading has found out about time that was taken unseen.
    const auto ns = static_cast<double>(std::max<std::int64_t>(clock_.before().value - left_ns_, 0));
    ComputeState& state = sink_.state();
    state.measured_ns += ns;
    state.pending_ns += ns * options_.scale;
    if (state.pending_ns * 1e3 >= static_cast<double>(options_.least.ps())) flush(state);
}

void Compute::flush(ComputeState& state) {
    const double ns = state.pending_ns;
    state.pending_ns = 0;
    if (ns > 0) spend(ns * 1e-9);
}

// Of this machine's seconds.
void Compute::spend(double seconds) {
    if (options_.reference_speed > 0)
        sink_.compute_volume(seconds * options_.reference_speed);
    else
        sink_.compute(Time::from_ps(seconds * 1e12));
}

void Compute::execute(double seconds) {
    if (!(seconds < most_seconds)) sink_.fail(fmt::format("orrery_execute: {} s is not a duration", seconds));
    if (!(seconds > 0)) return;
    enter_call();
    sink_.compute(Time::from_ps(seconds * 1e12));
    leave_call();
}

void Compute::execute_flops(double flops) {
    if (!std::isfinite(flops))
        sink_.fail(fmt::format("orrery_execute_flops: {} is not a number of operations", flops));
    if (!(flops > 0)) return;
    enter_call();
    sink_.compute_volume(flops);
    leave_call();
}

void Compute::kernel(const KernelTime& kernel, double m, double n, double k) {
    const std::optional<double> seconds = kernel.seconds(m, n, k);
    if (!seconds)
        sink_.fail(fmt::format("{}: no piece of its model holds for M = {}, N = {}, K = {}", kernel.routine(),
                               m, n, k));
    execute(*seconds);
}

} // namespace orrery::emulate
