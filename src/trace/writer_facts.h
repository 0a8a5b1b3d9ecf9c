// What the begin and end blocks of a rank say about this process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::trace {

std::string program_line(); // with its arguments
std::string cpu_model();
std::string utc_now(); // ISO 8601
// "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\n..." as "Open MPI 4.1.4" and "MPICH 4.0.2".
std::string short_mpi_name(std::string_view version);
std::uint64_t peak_memory_bytes() noexcept;

// The object of a rank that only took the time.
struct ClockFacts {
    int rank = 0;
    double seconds = 0;
    double cpu_seconds = 0;
};
std::string clock_json(const ClockFacts& facts);

} // namespace orrery::trace
