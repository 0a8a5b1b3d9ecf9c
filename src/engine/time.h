// Simulated time: a signed 64-bit count of picoseconds. Every instant of a run and every duration is shorter
// than a quarter of what that holds, `Time::longest`, 26 days: so a sum of four never overflows.
//
// One type serves instants and durations; the arithmetic below is all that the models need. There is no
// floating point in the order of events: a rate or a per-byte cost is turned into a Time once, by `from_ps`.
// What is longer than that is refused, as engine/too_long.h says.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace orrery {

// Throws TooLong (engine/too_long.h): `what` takes `picoseconds`.
[[noreturn]] void throw_too_long(const char* what, double picoseconds);

class Time {
  public:
    constexpr Time() = default;
    static constexpr Time ps(std::int64_t value) { return Time(value); }
    static constexpr Time ns(std::int64_t value) { return Time(value * 1000); }
    static constexpr Time us(std::int64_t value) { return Time(value * 1'000'000); }
    static constexpr Time zero() { return Time(0); }
    static constexpr Time max() { return Time(std::numeric_limits<std::int64_t>::max()); }

    // No run lasts so long.
    static constexpr Time longest() { return Time(std::int64_t{1} << 61); }

    // The one place where a real-valued duration becomes an integer: rounded to the nearest picosecond. `what`
    // takes that long, for the error if it is too long ("the transfer of a message").
    static constexpr Time from_ps(double value, const char* what = "a time") {
        constexpr double limit = 0x1p61;
        if (!(value < limit && value > -limit)) [[unlikely]]
            throw_too_long(what, value);
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
