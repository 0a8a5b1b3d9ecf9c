// A time as seconds in decimals, without loss: twelve places, from the integer.
#pragma once

#include "engine/time.h"

#include <fmt/format.h>
#include <iterator>
#include <string>

namespace orrery {

// Not for negative times.
inline void append_seconds(std::string& out, Time time) {
    constexpr std::int64_t second = 1'000'000'000; // in nanoseconds
    const std::int64_t ns = time.whole_ns();
    const auto whole = static_cast<std::uint64_t>(ns) * 1000;
    const std::uint64_t ps =
        (static_cast<std::uint64_t>(time.ticks()) << Time::tick_bits()) - whole; // mod 2^64
    fmt::format_to(std::back_inserter(out), "{}.{:09}{:03}", ns / second, ns % second, ps);
}

inline std::string exact_seconds(Time time) {
    std::string out;
    append_seconds(out, time);
    return out;
}

} // namespace orrery
