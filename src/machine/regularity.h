// What routings, patterns, mappings and pictures may rely on of a topology's shape: a grid, levels, groups.
//
// A topology has what applies to it (Topology::regularity()); of most graphs nothing is known. A new kind of
// topology that is a grid, a fat tree or a dragonfly is routed and drawn as these are, without a line
// elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

// How routers that differ in one coordinate are joined.
enum class Joined : std::uint8_t {
    in_rings,   // each to the next, the last to the first; wired as torus.h says
    in_lines,   // without the cable from the last to the first
    by_digits,  // two in each dimension: the coordinates are binary digits of the router's number
    all_to_all, // each to each
};

// Which way round a ring of this size, or along a line, from one place to another: the shorter one. `simgrid`:
// from the middle to the origin in the negative direction.
inline bool leads_forward(std::uint32_t here, std::uint32_t there, std::uint32_t size, bool wraps,
                          bool simgrid) {
    if (!wraps) return here < there;
    const std::uint32_t ahead = there >= here ? there - here : there + size - here;
    return ahead <= size / 2 && !(there == 0 && here * 2 == size && (size == 2 || simgrid));
}

// Router i has the coordinates i mod d1, (i / d1) mod d2, ...; router r has the hosts r n to r n + n - 1.
struct RouterGrid {
    Joined joined = Joined::in_rings;
    std::vector<std::uint32_t> dimensions; // routers in each
    std::uint32_t nodes = 1;               // hosts per router
    bool simgrid = false;                  // routes as SimGrid 3.32

    [[nodiscard]] bool rings_or_lines() const {
        return joined == Joined::in_rings || joined == Joined::in_lines;
    }
    [[nodiscard]] bool goes_forward(std::uint32_t here, std::uint32_t there, std::uint32_t size) const {
        return leads_forward(here, there, size, joined == Joined::in_rings, simgrid);
    }
};

struct FatTreeShape;
struct DragonflyShape;

struct Regularity {
    std::optional<RouterGrid> grid = std::nullopt;
    const FatTreeShape* tree = nullptr;     // lives as long as the topology
    const DragonflyShape* groups = nullptr; // the same
    bool own_routes = true; // false: wired in this shape, but routes may be others, as those of a file
};

} // namespace orrery
