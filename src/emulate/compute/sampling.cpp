// Pieces of the program that are run a few times and then only accounted for.
#include "emulate/compute/compute.h"

#include <fmt/format.h>

namespace orrery::emulate {

// The address of the name is looked up first: each rank has its own copy of its bytes, and no two sites share
// one.
Samples& Compute::samples_of(bool global, const char* file, int line, const char* tag) {
    ComputeState& state = sink_.state();
    const auto key = std::pair<const void*, int>(file, global ? -line : line);
    const auto found = state.known.find(key);
    if (found != state.known.end() && found->second.second == tag) return *found->second.first;
    SampleTable& table = global ? samples_ : state.samples;
    Samples& samples = table.at(SampleSite(file, line, tag));
    state.known[key] = {&samples, tag};
    return samples;
}

bool Compute::begin(Samples& samples, int most, double threshold, const char* file, int line, long turns) {
    if (most <= 0 && !(threshold > 0))
        sink_.fail(
            fmt::format("{}:{}: sampling needs a number of times or a threshold above zero", file, line));
    ComputeState& state = sink_.state();
    // One that was left by break or return never ended: it does not count, nor does what it contained.
    for (std::size_t i = 0; i < state.open.size(); ++i) {
        if (state.open[i].samples == &samples) state.open.resize(i);
    }
    if (samples.more(most, threshold)) {
        state.open.push_back({&samples, state.measured_ns});
        return true;
    }
    if (samples.mean() > 0) spend(samples.mean() * options_.scale * static_cast<double>(turns));
    return false;
}

bool Compute::enter_sample(bool global, const char* file, int line, const char* tag, int most,
                           double threshold) {
    return enter_turn(global, file, line, tag, most, threshold, 1);
}

bool Compute::enter_turn(bool global, const char* file, int line, const char* tag, int most, double threshold,
                         long left) {
    enter_call();
    const bool run = begin(samples_of(global, file, line, tag), most, threshold, file, line, left);
    leave_call();
    return run;
}

void Compute::leave_sample() {
    enter_call();
    ComputeState& state = sink_.state();
    if (state.open.empty()) sink_.fail("the end of a sampled piece without its beginning");
    const ComputeState::Open open = state.open.back();
    state.open.pop_back();
    open.samples->add((state.measured_ns - open.from_ns) * 1e-9);
    leave_call();
}

} // namespace orrery::emulate
