// What a search with replays comes to: by how much mapping matters, and which one to take.
#pragma once

#include "tools/mapping/search.h"

#include <optional>
#include <span>
#include <string>

namespace orrery {

struct MappingVerdict {
    std::string use;   // the mapping to take: the fastest, or block if nothing gains as much as `worth_it`
    double gain = 0;   // of the fastest over block: the part of block's time that it saves
    double spread = 0; // from the fastest to the slowest that were replayed, in parts of block's time
    std::string words; // "mapping matters 0.1 %: keep block"
};

inline constexpr double mapping_worth_it = 0.01;

// Nothing unless block and another one were replayed.
std::optional<MappingVerdict> mapping_verdict(std::span<const MappingResult> results);

// The part of block's time that a mapping saves; nothing if it or block was not replayed.
std::optional<double> gain_over_block(const MappingResult& result, std::span<const MappingResult> results);

} // namespace orrery
