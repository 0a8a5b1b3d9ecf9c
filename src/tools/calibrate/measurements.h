// Raw measurements of an MPI between two ranks, as orrery-calibrate-<mpi> writes them (docs/calibration.md).
#pragma once

#include "engine/ids.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct MeasuredSeries {
    std::string kind;            // "round_trip", "send", ...
    Bytes bytes = 0;             // of a message
    double delay_ns = 0;         // that rank 0 waited before the call, or between calls
    std::vector<double> samples; // ns, in the order of measuring
    double typical = 0;          // the lower quartile: what a call takes when nobody disturbs it
};

struct Measurements {
    std::string file;
    std::array<std::string, 2> hosts;
    std::uint32_t cores = 1;
    std::string cpu;
    std::string mpi;
    std::string started;      // UTC, ISO 8601
    std::uint32_t burst = 1;  // n of RTT_n
    std::uint32_t rounds = 1; // over all experiments and sizes, each adding as many samples to a series
    Bytes most_bytes = 0;
    std::optional<Bytes> eager_limit; // none: every size that was tried is sent without waiting
    std::vector<MeasuredSeries> series;
    std::uint64_t samples = 0;

    [[nodiscard]] bool one_host() const { return hosts[0] == hosts[1]; }
    [[nodiscard]] const MeasuredSeries* find(std::string_view kind, Bytes bytes) const;
    [[nodiscard]] std::vector<const MeasuredSeries*> of(std::string_view kind) const; // by ascending size
};

// Throws InputError with the line: not JSON, a key missing, a number that cannot be, the end missing.
Measurements read_measurements(const std::string& path);
Measurements parse_measurements(std::string_view text, const std::string& file);

// A machine can have several states, each lasting for seconds: where the hypervisor has put its virtual cores,
// what else runs on it. They show in the short round trips. Keeps the rounds of the state that lasted longest,
// so that all sizes belong to the same one; returns what a user should know about it, or nothing.
std::string keep_longest_state(Measurements& measured);

double quantile(std::vector<double> samples, double q); // 0 for none

} // namespace orrery
