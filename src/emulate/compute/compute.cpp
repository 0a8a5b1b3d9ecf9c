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

// What lasts too long is refused when the rank computes for so long: nothing may be thrown through the program.
Time at_most_longest(double seconds) {
    const double ps = seconds * 1e12;
    return ps < Time::longest().picoseconds() ? Time::from_ps(ps) : Time::longest();
}

// Most bursts are shorter. One in twelve of them is judged, so that it is known what is usual there.
constexpr std::int64_t short_burst_ns = 250;
// From here on a burst may have been a page fault.
constexpr std::int64_t long_burst_ns = 200'000;

} // namespace

void parse_compute(std::string_view words, ComputeOptions& options) {
    options.measured = true;
    options.scale = 1;
    options.record.clear();
    options.from.clear();
    std::string_view rest = words;
    const auto number = [&rest](double& value) {
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (error != std::errc() || !std::isfinite(value) || value <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return true;
    };
    const auto begins = [&rest](std::string_view word) {
        if (!rest.starts_with(word)) return false;
        rest.remove_prefix(word.size());
        return true;
    };
    if (rest == "measured") return;
    if (rest == "none") {
        options.measured = false;
        return;
    }
    if (begins("scale=")) {
        if (number(options.scale) && rest.empty()) return;
        if (!begins(",")) rest = {};
    }
    if (begins("record="))
        options.record = rest; // to the end: a name may have commas
    else if (begins("from="))
        options.from = rest;
    if (!options.record.empty() || !options.from.empty()) return;
    throw UsageError(fmt::format("--compute {}: expected measured, none, scale=NUMBER (such as scale=0.5), "
                                 "record=FILE or from=FILE",
                                 words));
}

Compute::Compute(const ComputeOptions& options, KernelTimes kernels, TimeSink& sink)
    : options_(options), kernels_(std::move(kernels)), sink_(sink), reads_clock_(options.measured),
      filter_(options.ranks) {
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

void Compute::take_from(RecordedBursts* recorded) {
    if (reads_clock_) clock_.stop();
    reads_clock_ = false;
    recorded_ = recorded;
}

void Compute::stop(const CallSite& site) {
    const std::int64_t whole_ns = recorded_ == nullptr ? measure(site) : next_recorded(site);
    if (recorder_ != nullptr) recorder_->add(sink_.rank(), whole_ns, site.function);
    const auto ns = static_cast<double>(whole_ns);
    ++bursts_;
    total_ns_ += ns;
    ComputeState& state = sink_.state();
    state.measured_ns += ns;
    state.pending_ns += ns * options_.scale;
    if (state.pending_ns * 1e3 >= options_.least.picoseconds()) flush(state);
}

std::int64_t Compute::next_recorded(const CallSite& site) {
    const std::optional<std::int64_t> ns = recorded_->next(sink_.rank(), site.function);
    if (!ns) sink_.refuse(recorded_->why(sink_.rank()));
    return *ns;
}

std::int64_t Compute::measure(const CallSite& site) {
    // Not before the last one, if this reading has found out about time that was taken unseen.
    const std::int64_t ns = std::max<std::int64_t>(clock_.before().value - left_ns_, 0);
    const bool disturbed = clock_.disturbances() != left_disturbances_;
    if (ns < short_burst_ns && !disturbed && --until_judged_ > 0 && !filter_.owes()) [[likely]]
        return ns;
    return judge(ns, disturbed, site);
}

std::int64_t Compute::judge(std::int64_t ns, bool disturbed, const CallSite& site) {
    if (until_judged_ == 0) {
        random_ = random_ * 1664525U + 1013904223U; // at random, so that no rhythm of the program hides a site
        until_judged_ = 8 + (random_ >> 28U);
    }
    if (ns < long_burst_ns)
        page_faults_.sample();
    else
        disturbed = page_faults_.took_most_of(ns) || disturbed;
    // Between pieces that are sampled, for instance: nothing says which bursts are comparable.
    if (left_site_ == nullptr || site.address == nullptr) return ns;
    const std::uint64_t key = sink_.place(left_site_) * 0x9e3779b97f4a7c15U ^ sink_.place(site.address);
    return filter_.judge({ns, key, sink_.rank(), disturbed});
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
        sink_.compute(at_most_longest(seconds));
}

Time Compute::so_far() {
    if (!reads_clock_) return Time::zero();
    const auto ns = static_cast<double>(std::max<std::int64_t>(clock_.before().value - left_ns_, 0));
    const double seconds = (ns * options_.scale + sink_.state().pending_ns) * 1e-9;
    return options_.reference_speed > 0 ? sink_.duration(seconds * options_.reference_speed)
                                        : at_most_longest(seconds);
}

void Compute::execute(double seconds) {
    if (!(seconds >= 0)) sink_.fail(fmt::format("orrery_execute: {} s is not a duration", seconds));
    if (seconds == 0) return;
    enter_call();
    sink_.compute(at_most_longest(seconds));
    leave_call();
}

void Compute::execute_flops(double flops) {
    if (!std::isfinite(flops) || flops < 0)
        sink_.fail(fmt::format("orrery_execute_flops: {} is not a number of operations", flops));
    if (flops == 0) return;
    enter_call();
    sink_.compute_volume(flops);
    leave_call();
}

void Compute::kernel(const KernelTime& kernel, double m, double n, double k) {
    const std::optional<double> seconds = kernel.seconds(m, n, k);
    if (!seconds)
        sink_.fail(fmt::format("{}: no piece of its model holds for M = {}, N = {}, K = {}", kernel.routine(),
                               m, n, k));
    execute(std::max(*seconds, 0.0)); // a fitted line may cross zero at small sizes
}

} // namespace orrery::emulate
