// A time as seconds in decimals, without loss: twelve places, from the integer.
#pragma once

#include "engine/time.h"

#include <fmt/format.h>
#include <iterator>
#include <string>

namespace orrery {

// Not for negative times.
inline void append_seconds(std::string& out, Time time) {
    constexpr std::int64_t second = 1'000'000'000'000;
    fmt::format_to(std::back_inserter(out), "{}.{:012}", time.ps() / second, time.ps() % second);
}

inline std::string exact_seconds(Time time) {
    std::string out;
    append_seconds(out, time);
    return out;
}

} // namespace orrery
