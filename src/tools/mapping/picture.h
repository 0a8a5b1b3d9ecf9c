// A search for mappings as a picture: a row per mapping with its name, the best at the top.
#pragma once

#include "tools/mapping/report.h"

#include <cstddef>
#include <string>

namespace orrery {

inline constexpr std::size_t most_picture_rows = 60; // the rest is counted in a line; the last one is shown

// The SVG document. After a replay: replayed times beside the estimates; otherwise the estimates alone. A mark
// in each bar of an estimate is the time that its busiest link needs.
std::string draw_search(const SearchReport& report);

} // namespace orrery
