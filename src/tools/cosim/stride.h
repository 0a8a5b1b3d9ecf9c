// How far a network may run before its session looks around: about as far as takes some milliseconds of real
// time.
//
// What is simulated does not depend on it: a network that runs to some time and then further does the same as
// one that runs there at once.
#pragma once

#include "engine/time.h"

#include <algorithm>
#include <chrono>

namespace orrery {

class Stride {
  public:
    // The session's turn begins: where the first stride ends.
    Time first(Time now) {
        since_ = Clock::now();
        return end(now);
    }
    // One has ended at `now`: where the next one ends.
    Time next(Time now) {
        const Clock::time_point present = Clock::now();
        if (present - since_ < aim / 2) length_ = std::min(2 * length_, Time::us(longest_us));
        if (present - since_ > aim * 2) length_ = std::max(Time::ticks(length_.ticks() / 2), Time::ns(1));
        since_ = present;
        return end(now);
    }
    // Whether it is time to look around.
    bool looks_around() {
        const Clock::time_point present = Clock::now();
        if (present < next_look_) return false;
        next_look_ = present + aim;
        return true;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds aim{5};
    static constexpr std::int64_t longest_us = 1'000'000'000; // 1,000 s

    [[nodiscard]] Time end(Time now) const { return now < Time::max() - length_ ? now + length_ : Time::max(); }

    Time length_ = Time::us(1);
    Clock::time_point since_;
    Clock::time_point next_look_;
};

} // namespace orrery
