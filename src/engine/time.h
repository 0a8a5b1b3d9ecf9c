// Simulated time: a signed 64-bit count of picoseconds. A run may last a quarter of what that holds, 26 days,
// so that a sum of a few durations never overflows.
//
// One type serves instants and durations; the arithmetic below is all that the models need. There is no
// floating point in the order of events: a rate or a per-byte cost is turned into a Time once, by `from_ps`.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace orrery {

class Time {
  public:
    constexpr Time() = default;
    static constexpr Time ps(std::int64_t value) { return Time(value); }
    static constexpr Time ns(std::int64_t value) { return Time(value * 1000); }
    static constexpr Time us(std::int64_t value) { return Time(value * 1'000'000); }
    static constexpr Time zero() { return Time(0); }
    static constexpr Time max() { return Time(std::numeric_limits<std::int64_t>::max()); }

    // The one place where a real-valued duration becomes an integer: rounded to the nearest picosecond.
    static constexpr Time from_ps(double value) {
        return Time(static_cast<std::int64_t>(value < 0 ? value - 0.5 : value + 0.5));
    }

    [[nodiscard]] constexpr std::int64_t ps() const { return ps_; }
    [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

    constexpr auto operator<=>(const Time&) const = default;
    constexpr Time& operator+=(Time other) {
        ps_ += other.ps_;
        return *this;
    }
    constexpr Time& operator-=(Time other) {
        ps_ -= other.ps_;
        return *this;
    }
    friend constexpr Time operator+(Time a, Time b) { return Time(a.ps_ + b.ps_); }
    friend constexpr Time operator-(Time a, Time b) { return Time(a.ps_ - b.ps_); }
    friend constexpr Time operator*(std::int64_t n, Time t) { return Time(n * t.ps_); }

  private:
    constexpr explicit Time(std::int64_t value) : ps_(value) {}
    std::int64_t ps_ = 0;
};

constexpr Time later(Time a, Time b) { return a < b ? b : a; }

} // namespace orrery
