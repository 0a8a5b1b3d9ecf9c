// Computation for tests of clocks.
#pragma once

#include "engine/cpu/clock.h"

#include <cstdint>

namespace orrery::trace::test {

// Computes for that long by the system's clock of the thread; how long it was by that clock. It may be much
// more: in a virtual machine the clock may jump by milliseconds when another one has had the processor.
inline std::int64_t work(std::int64_t nanoseconds) {
    const std::int64_t from = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
    std::int64_t passed = 0;
    while (passed < nanoseconds) passed = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - from;
    return passed;
}

} // namespace orrery::trace::test
