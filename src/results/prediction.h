// The answer of a run: what was predicted, where the time went, and what it cost to find out.
#pragma once

#include "engine/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct RankTimes {
    Time finish;   // when the last operation of the rank ended
    Time compute;  // CPU time in calc operations
    Time overhead; // CPU time spent on sending and receiving (o, O; and G where it holds the CPU)
    Time noise;    // CPU time taken by injected OS noise
};

// How far off it may be, as measured on this machine.
struct PredictionError {
    double relative = 0; // 0.06: the real time is 6 % less to 6 % more
    std::string source;  // "largest error of 3 programs, validated 2026-11-18"
};

struct Prediction {
    Time time;                       // the latest finish
    std::uint32_t critical_rank = 0; // the first rank that finishes then
    std::uint64_t operations = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;  // carried by all messages
    std::uint64_t events = 0; // operations + messages
    std::uint32_t cpus = 1;   // CPUs per rank
    std::vector<RankTimes> ranks;
    // At the end, where the peak that the system tells is wrong because pages were seen at many addresses; 0:
    // it is right.
    std::uint64_t memory_bytes = 0;
    double simulation_seconds = 0;        // wall time of the simulation itself, without reading the input
    std::vector<std::string> warnings;    // what makes the answer doubtful: one loud line each
    std::optional<PredictionError> error; // nothing: no error is known

    // CPU time of `rank` in which nothing ran: what it waited.
    [[nodiscard]] Time waiting(const RankTimes& rank) const {
        return static_cast<std::int64_t>(cpus) * rank.finish - rank.compute - rank.overhead - rank.noise;
    }
};

} // namespace orrery
