// Replays what was measured on the machine that was fitted to it: predicted against measured.
#pragma once

#include "tools/calibrate/measurements.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// The patterns that are replayed, as they were measured (src/tools/calibrate/program/experiments.cpp).
inline constexpr std::array<std::string_view, 4> checked_patterns{"round_trip", "burst", "stream", "exchange"};
std::string_view words_of_pattern(std::string_view pattern); // "ping-pong", ...

struct CheckedSize {
    std::string_view pattern;
    Bytes bytes = 0;
    double measured = 0; // ns
    double flow = 0;     // predicted by endpoint x flow
    double loggops = 0;  // and by LogGOPS
};

struct CheckedRange { // of sizes
    std::string_view pattern;
    Bytes above = 0; // 0: from no bytes on
    Bytes up_to = 0;
    std::size_t sizes = 0;
    double measured = 0; // ns, mean
    double flow_bias = 0;
    double flow_error = 0; // mean absolute relative error
    double loggops_error = 0;
};

struct SelfCheck {
    std::vector<CheckedSize> sizes;
    std::vector<CheckedRange> ranges;
    double flow_error = 0; // mean over all
    double flow_worst = 0; // largest mean of a range
    double loggops_error = 0;
};

// `machine`: the text of the machine file.
SelfCheck check_machine(const std::string& machine, const Measurements& measured);

} // namespace orrery
