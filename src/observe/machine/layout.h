// Where the nodes and cables of a machine lie in its picture.
//
// Trees by levels, the hosts at the bottom; tori, meshes, hypercubes and HyperX as grids, a third dimension in
// oblique projection, further ones as tiles; dragonflies as a circle of groups; all else as a circle of
// switches. Coordinates are pixels, y downwards.
#pragma once

#include "machine/fabric/fabric.h"

#include <string>
#include <vector>

namespace orrery {

struct Spot {
    double x = 0;
    double y = 0;
    double size = 0; // radius; 0: not drawn
    // Where the name stands, from the middle; anchored at its start, middle or end (-1, 0, 1).
    double name_x = 0;
    double name_y = 0;
    int anchor = 0;
    double room = 0;      // for the name, in pixels
    double depth = 0;     // 0 in front, 1 at the back
    bool upright = false; // the name is turned by 90 degrees, to be read from below
};

struct CableLine {
    LinkId channel;     // one direction of it
    std::string path;   // SVG path data
    bool faint = false; // it leads far and crosses others
};

struct Caption {
    double x = 0;
    double y = 0;
    std::string words;
};

struct Layout {
    double width = 0;
    double height = 0;
    std::vector<Spot> spots; // by node
    std::vector<CableLine> cables;
    std::vector<Caption> captions;
    std::vector<std::string> notes; // what was left out
};

// Throws UsageError if the machine is too large for a picture.
Layout lay_out(const Fabric& fabric);

// The parts of lay_out(). A tree has hosts below all of its switches, as their levels say.
bool has_levels(const Fabric& fabric);
Layout lay_out_tree(const Fabric& fabric);
Layout lay_out_grid(const Fabric& fabric);
Layout lay_out_dragonfly(const Fabric& fabric);
Layout lay_out_ring(const Fabric& fabric);

// Cables between nodes that are drawn, in the order of their numbers, each once. `path` makes the path.
template <typename Path> void add_cables(const Fabric& fabric, Layout& layout, Path path) {
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        const Channel& channel = fabric.channel({i});
        if (!fabric.is_channel({i}) || channel.reverse.value < i) continue;
        const Spot& a = layout.spots[channel.from.index()];
        const Spot& b = layout.spots[channel.to.index()];
        if (a.size > 0 && b.size > 0 && (a.x != b.x || a.y != b.y)) path(LinkId{i}, a, b);
    }
}

std::string straight(const Spot& a, const Spot& b);
// Bent by `bend` times its length to the left.
std::string bent(const Spot& a, const Spot& b, double bend);
// Drawn towards a point, by `pull` from 0 (straight) to 1.
std::string pulled(const Spot& a, const Spot& b, double x, double y, double pull);

} // namespace orrery
