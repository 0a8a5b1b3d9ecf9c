// The ranks of a start or post of a window.
#pragma once

#include "engine/ids.h"

#include <algorithm>
#include <span>
#include <vector>

namespace orrery {

inline bool names_twice(std::span<const Bytes> ranks) {
    std::vector<Bytes> sorted(ranks.begin(), ranks.end());
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

} // namespace orrery
