#include "engine/time.h"

namespace orrery {

namespace {

__extension__ using WideTime = __int128; // picoseconds of any Time

} // namespace

std::int64_t Time::scaled_ns() const {
    return static_cast<std::int64_t>((WideTime{ticks_} << tick_bits_) / 1000);
}

Time Time::of_clock(std::int64_t seconds, std::int64_t ns) {
    constexpr WideTime ps_per_second = 1'000'000'000'000;
    const WideTime ticks = (seconds * ps_per_second + WideTime{ns} * 1000 + half_tick_) >> tick_bits_;
    return ticks < longest().ticks_ ? Time(static_cast<std::int64_t>(ticks)) : longest();
}

} // namespace orrery
