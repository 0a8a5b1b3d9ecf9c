// Simulated time: a signed 64-bit count of ticks. A tick is one picosecond unless a longer one is asked for,
// 2^k picoseconds, before anything is read: then a run may be longer, and every duration is a multiple of a
// tick.
//
// Every instant of a run and every duration is shorter than a quarter of what 64 bits hold, `Time::longest`, 26
// days of picoseconds: so a sum of four never overflows. What is longer is refused, as engine/too_long.h says.
//
// One type serves instants and durations; the arithmetic below is all that the models need. There is no
// floating point in the order of events: a rate or a per-byte cost is turned into a Time once, by `from_ps`.
// Models count in ticks where they need whole numbers (`ticks`), and in picoseconds where they compute with
// rates
// (`picoseconds`); `ps` is for what is written down exactly.
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
    // Rounded to the nearest tick. Not constexpr: what a tick is, is known when the program runs.
    static Time ps(std::int64_t value) { return Time((value + half_tick_) >> tick_bits_); }
    static Time ns(std::int64_t value) { return ps(value * 1000); }
    static Time us(std::int64_t value) { return ps(value * 1'000'000); }
    static constexpr Time ticks(std::int64_t value) { return Time(value); }
    static constexpr Time zero() { return Time(0); }
    static constexpr Time tick() { return Time(1); } // the shortest time that is not zero
    static constexpr Time max() { return Time(std::numeric_limits<std::int64_t>::max()); }

    // No run lasts so long.
    static constexpr Time longest() { return Time(std::int64_t{1} << 61); }

    // The one place where a real-valued duration becomes an integer: rounded to the nearest tick. `what` takes
    // that long, for the error if it is too long ("the transfer of a message").
    static Time from_ps(double value, const char* what = "a time") {
        return from_ticks(value * ticks_per_ps_, what);
    }
    static Time from_ticks(double value, const char* what = "a time") {
        constexpr double limit = 0x1p61;
        if (!(value < limit && value > -limit)) [[unlikely]]
            throw_too_long(what, value * tick_ps());
        return Time(static_cast<std::int64_t>(value < 0 ? value - 0.5 : value + 0.5));
    }

    [[nodiscard]] constexpr std::int64_t ticks() const { return ticks_; }
    // Exact. Throws TooLong beyond 106 days, which only longer ticks reach (engine/time_text.h has no limit).
    [[nodiscard]] std::int64_t ps() const {
        std::int64_t value = 0;
        if (__builtin_mul_overflow(ticks_, std::int64_t{1} << tick_bits_, &value)) [[unlikely]]
            throw_too_long("a time that is written in picoseconds", picoseconds());
        return value;
    }
    [[nodiscard]] double picoseconds() const { return static_cast<double>(ticks_) * tick_ps(); }
    [[nodiscard]] double seconds() const { return picoseconds() * 1e-12; }
    // As clocks have it: whole nanoseconds, rounded down. Any time fits.
    [[nodiscard]] std::int64_t whole_ns() const { return tick_bits_ == 0 ? ticks_ / 1000 : scaled_ns(); }
    // What a clock shows, `seconds` and `ns` of them; Time::longest() if that is earlier.
    static Time of_clock(std::int64_t seconds, std::int64_t ns);

    constexpr auto operator<=>(const Time&) const = default;
    constexpr Time& operator+=(Time other) {
        ticks_ += other.ticks_;
        return *this;
    }
    constexpr Time& operator-=(Time other) {
        ticks_ -= other.ticks_;
        return *this;
    }
    friend constexpr Time operator+(Time a, Time b) { return Time(a.ticks_ + b.ticks_); }
    friend constexpr Time operator-(Time a, Time b) { return Time(a.ticks_ - b.ticks_); }
    friend constexpr Time operator*(std::int64_t n, Time t) { return Time(n * t.ticks_); }

    // A tick is 2^bits picoseconds from now on, for the whole process: to be called before there is any Time.
    static constexpr int most_tick_bits = 20; // a microsecond
    static void set_tick_bits(int bits) {
        tick_bits_ = bits;
        half_tick_ = (std::int64_t{1} << bits) >> 1;
        ticks_per_ps_ = 1.0 / static_cast<double>(std::int64_t{1} << bits);
    }
    static int tick_bits() { return tick_bits_; }
    static double ticks_per_ps() { return ticks_per_ps_; }
    static double tick_ps() { return static_cast<double>(std::int64_t{1} << tick_bits_); }

  private:
    constexpr explicit Time(std::int64_t value) : ticks_(value) {}
    [[nodiscard]] std::int64_t scaled_ns() const;
    std::int64_t ticks_ = 0;

    static inline constinit std::int64_t half_tick_ = 0;
    static inline constinit int tick_bits_ = 0;
    static inline constinit double ticks_per_ps_ = 1;
};

constexpr Time later(Time a, Time b) { return a < b ? b : a; }

} // namespace orrery
