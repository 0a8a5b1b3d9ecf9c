// A time as seconds in decimals, without loss: twelve places, from the integer. Tables have millions of them,
// so the digits are made without a formatter.
#pragma once

#include "engine/time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace orrery {

inline char* put_number(char* at, std::uint64_t number) {
    const fmt::format_int digits(number);
    return std::copy_n(digits.data(), digits.size(), at);
}

inline constexpr std::size_t most_second_digits = 40;

// Writes from `at` on and returns the end. Not for negative times.
inline char* put_seconds(char* at, Time time) {
    constexpr std::int64_t second = 1'000'000'000; // in nanoseconds
    const std::int64_t ns = time.whole_ns();
    const auto whole = static_cast<std::uint64_t>(ns) * 1000;
    const std::uint64_t ps =
        (static_cast<std::uint64_t>(time.ticks()) << Time::tick_bits()) - whole; // mod 2^64
    char* const point = put_number(at, static_cast<std::uint64_t>(ns / second));
    // A one before them keeps the zeros; the point takes its place.
    constexpr std::uint64_t one = 1'000'000'000'000;
    char* const end = put_number(point, one + static_cast<std::uint64_t>(ns % second) * 1000 + ps);
    *point = '.';
    return end;
}

inline void append_seconds(std::string& out, Time time) {
    std::array<char, most_second_digits> digits{};
    out.append(digits.data(), put_seconds(digits.data(), time));
}

inline std::string exact_seconds(Time time) {
    std::string out;
    append_seconds(out, time);
    return out;
}

} // namespace orrery
