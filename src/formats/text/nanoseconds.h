// Durations in the two LogGOPSim formats, which count whole nanoseconds.
#pragma once

#include <cstdint>
#include <string>

#include "engine/ids.h"
#include "workload/graph.h"

namespace orrery {

inline constexpr std::uint64_t picoseconds_per_nanosecond = 1000;
inline constexpr std::uint64_t max_calc_nanoseconds = max_op_size / picoseconds_per_nanosecond;

// The duration of the computation `graph.ops[index]`. Throws InputError, naming it and the file that it was to
// be written to, if it is no whole number of nanoseconds.
std::uint64_t whole_nanoseconds(RankId rank, const RankGraph& graph, std::uint32_t index,
                                const std::string& file);

} // namespace orrery
