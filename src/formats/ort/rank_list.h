// Ranks in words: "rank 3", "ranks 3, 7 and 12 to 15".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::recorded {

// Both ends belong to it.
struct RankRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

// Adds a rank to a list that is in order.
void add_rank(std::vector<RankRange>& list, std::uint32_t rank);
// Of a long list, the beginning.
std::string words(const std::vector<RankRange>& list);

} // namespace orrery::recorded
