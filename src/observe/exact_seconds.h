// A time as seconds in decimals, without loss: twelve places, from the integer. Tables have millions of them,
// so the digits are made without a formatter.
#pragma once

#include "engine/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace orrery {

inline constexpr std::array<char, 200> digit_pairs = [] { // 00, 01, ... 99
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}();

// That many digits, with zeros before it.
inline char* put_digits(char* at, std::size_t digits, std::uint64_t number) {
    std::size_t left = digits;
    for (; left >= 2; left -= 2, number /= 100) std::memcpy(at + left - 2, &digit_pairs[2 * (number % 100)], 2);
    if (left == 1) *at = static_cast<char>('0' + number % 10);
    return at + digits;
}

inline char* put_number(char* at, std::uint64_t number) {
    std::size_t digits = 1;
    std::uint64_t left = number;
    for (; left >= 1000; left /= 1000) digits += 3;
    digits += left >= 100 ? 2 : left >= 10 ? 1 : 0;
    return put_digits(at, digits, number);
}

inline constexpr std::size_t most_second_digits = 40;

// Writes from `at` on and returns the end. Not for negative times.
inline char* put_seconds(char* at, Time time) {
    constexpr std::int64_t second = 1'000'000'000; // in nanoseconds
    const std::int64_t ns = time.whole_ns();
    const auto whole = static_cast<std::uint64_t>(ns) * 1000;
    const std::uint64_t ps =
        (static_cast<std::uint64_t>(time.ticks()) << Time::tick_bits()) - whole; // mod 2^64
    at = put_number(at, static_cast<std::uint64_t>(ns / second));
    *at++ = '.';
    return put_digits(at, 12, static_cast<std::uint64_t>(ns % second) * 1000 + ps);
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
