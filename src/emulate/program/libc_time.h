// Durations as the C library has them.
#pragma once

#include "engine/time.h"

#include <cstdint>

namespace orrery::emulate {

// What is longer than a run may last (26 days) is just that long.
Time duration_of(std::int64_t seconds, std::int64_t nanoseconds);

} // namespace orrery::emulate
