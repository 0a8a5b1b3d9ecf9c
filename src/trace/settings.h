// What the tracing library is told: environment variables, nothing else.
//
//   ORRERY_TRACE_DIR      where the files go; without it the library does nothing at all
//   ORRERY_TRACE_RUN      which run this is, 16 hexadecimal digits
//   ORRERY_TRACE_COUNTER  auto | instructions | cpu-time
//   ORRERY_TRACE_TIMED    0 | 1: keep the times of each call too
//   ORRERY_TRACE_GATHER   K > 0: in MPI_Finalize the files travel to rank 0, each process taking them from up
//   to
//                         K others at a time
//   ORRERY_TRACE_MODE     record | clock: clock takes the time of the whole run and nothing else
//   ORRERY_TRACE_BUFFER   bytes of one of the two buffers of a rank
#pragma once

#include "engine/cpu/counter.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace orrery::trace {

struct Settings {
    std::string directory; // empty: the library does nothing
    std::uint64_t run = 0;
    CounterChoice counter = CounterChoice::automatic;
    bool timed = false;
    bool clock_only = false;
    std::uint32_t gather = 0;
    std::size_t buffer = std::size_t{256} << 10;
    std::string error; // what is wrong with them; then nothing is recorded
};

using Environment = const char* (*)(const char* name);
// Of this process, unless a test gives another.
Settings settings_from(Environment environment = nullptr);

} // namespace orrery::trace
