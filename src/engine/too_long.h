// The rule for the longest run: 26 days of simulated time (Time::longest; more with longer ticks), in every
// model and every verb.
//
// What would last longer is refused: a duration where a real number becomes a Time (Time::from_ps), an instant
// where it enters an event queue or where time moves there. The user sees one kind of sentence and exit code 1.
#pragma once

#include "engine/error.h"
#include "engine/time.h"

#include <string>

namespace orrery {

class TooLong : public SimulationError {
  public:
    // "<what> takes longer than 26 days, the longest time that can be simulated".
    explicit TooLong(const std::string& what);
};

// The run as a whole.
[[noreturn]] void throw_run_too_long();

// An instant of the run, or a sum of up to four durations.
inline void check_length(Time time) {
    if (time >= Time::longest()) [[unlikely]]
        throw_run_too_long();
}

// The latency of a route with one more link: there may be any number of them.
inline void add_latency(Time& sum, Time latency) {
    sum += latency;
    if (sum >= Time::longest()) [[unlikely]]
        throw_too_long("the latency of a route", sum.picoseconds());
}

// What `bytes` take at that rate; nothing at an endless one.
Time transfer_time(double bytes, double bytes_per_second, const char* what);

} // namespace orrery
