// The rate at which a core computes, from a run of the user's own: a recorded trace with time stamps.
//
// Each computation between two MPI calls is a burst with a volume (what the trace counts) and a duration. One
// rate for all is the total volume over the total time (the calibration of Casanova et al. 2015, section 4.2).
// Caches, frequency and instruction mix make it depend on the burst, so there is a distribution by size as
// well: classes of volumes a factor of ten wide, each with its own rate, neighbours merged where they agree.
// Bursts that the operating system has interrupted do not count: those less than half as fast as the others of
// their size, as long as they are few.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class RecordedTrace;

struct Burst {
    double volume = 0;
    double seconds = 0;
};

struct RateClass {
    double from = 0; // volume: bursts of this size and more, up to the next class
    double rate = 0; // per second: total volume / total time
    double slow = 0; // rates of single bursts: a tenth is slower than this,
    double fast = 0; // a tenth faster than that
    std::uint64_t bursts = 0;
    double seconds = 0;
};

struct ComputeRate {
    std::string trace;
    std::string counter;           // "instructions", "cpu-time"
    double average = 0;            // per second
    std::uint64_t bursts = 0;      // that count
    std::uint64_t interrupted = 0; // that do not
    double seconds = 0;
    std::vector<RateClass> classes; // ascending
    // Predicted against measured time of bursts with the average rate, and with the classes: mean absolute
    // relative error, each burst weighted by its time.
    double average_error = 0;
    double class_error = 0;
};

// Throws InputError if there are no bursts with volume and time.
ComputeRate fit_rate(std::vector<Burst> bursts);

// The bursts of all ranks. Throws InputError if the trace has no time stamps.
ComputeRate rate_of_trace(const std::string& path);

} // namespace orrery
