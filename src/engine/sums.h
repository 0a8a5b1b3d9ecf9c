// Sums that have no bound of their own: the times of several CPUs together, the bytes of all messages.
//
// An instant of a run is checked by engine/too_long.h; these are figures that are added up besides.
#pragma once

#include "engine/ids.h"
#include "engine/too_long.h"

#include <algorithm>

namespace orrery {

// The CPUs of a rank together may be busy for longer than a run lasts, up to four times as long.
inline void add_busy(Time& sum, Time more) {
    if (more > Time::max() - sum) [[unlikely]]
        throw TooLong("what all CPUs of a rank do together");
    sum += more;
}

// One after the other: the run is refused when time gets there.
inline Time sum_up_to_longest(Time a, Time b) { return std::min(a + b, Time::longest()); }

// For a report.
inline Time saturated_sum(Time a, Time b) { return b > Time::max() - a ? Time::max() : a + b; }

inline void add_bytes(Bytes& sum, Bytes more) {
    if (__builtin_add_overflow(sum, more, &sum)) [[unlikely]]
        throw InputError("all messages together are more than 2^64 bytes");
}

} // namespace orrery
