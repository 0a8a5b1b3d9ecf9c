// Colours for the edges of a bipartite multigraph, spread evenly at every vertex (König 1916).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace orrery {

// A colour below `colours` for each edge (left, right), so that at a vertex of degree d each colour occurs at
// most ceil(d / colours) times. Vertices are numbered densely on each side.
std::vector<std::uint32_t> colour_edges(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
                                        std::uint32_t colours);

} // namespace orrery
