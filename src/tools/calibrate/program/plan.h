// Which sizes are measured, in which order, and for how long.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::calibrate {

struct Plan {
    std::uint64_t seed = 1;
    int most_bytes = 4 << 20;
    double seconds = 30; // of the experiments between the ranks
};

// Ascending: 0, 1, the powers of two, random sizes between them (spread evenly over the logarithm), and around
// `eager_limit` (negative: none was found), where the protocol switches.
std::vector<int> sizes_to_measure(const Plan& plan, std::int64_t eager_limit);

// Numbers below `count` in random order, another for each round.
std::vector<std::uint32_t> order_of_round(const Plan& plan, std::uint64_t round, std::uint32_t count);

// Measurements in one visit to an experiment and size, after one that does not count: fewer of those that take
// long.
int samples_per_visit(int bytes);

} // namespace orrery::calibrate
