// The begin and end blocks of a rank as JSON, and what they say about this process.
//
// Written by hand: the library lives inside other people's programs and brings as little along as it can.
#pragma once

#include "workload/recorded/recorded_trace.h"

#include <string>
#include <string_view>

namespace orrery::trace {

std::string program_line(); // with its arguments
std::string cpu_model();
std::string utc_now(); // ISO 8601
// "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\n..." as "Open MPI 4.1.4" and "MPICH 4.0.2".
std::string short_mpi_name(std::string_view version);
std::uint64_t peak_memory_bytes() noexcept;

// The members of RecordedBegin and RecordedEnd by their names; `run` as 16 hexadecimal digits. `clock`: how the
// counter was read.
std::string begin_json(const RecordedBegin& begin, std::string_view clock);
std::string end_json(const RecordedEnd& end);

// The object of a rank that only took the time.
struct ClockFacts {
    int rank = 0;
    double seconds = 0;
    double cpu_seconds = 0;
};
std::string clock_json(const ClockFacts& facts);

} // namespace orrery::trace
