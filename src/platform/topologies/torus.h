// A torus of any number of dimensions: host i has the coordinates i mod d1, (i / d1) mod d2, ... and a cable to
// the next host in each dimension, the last to the first. In a dimension of two there is one cable, not two.
//
// Routes are dimension by dimension, the first dimension first, the shorter way round; in the positive
// direction if both are equally long. A message to the same host passes no link unless there is a loopback.
#pragma once

#include "platform/topologies/regular.h"

namespace orrery {

struct TorusShape {
    std::vector<std::uint32_t> dimensions;
    std::vector<Cable> cables;     // one per dimension
    std::optional<double> limiter; // bytes per second that pass each node on the way, own traffic included
    std::optional<Link> loopback;
    bool simgrid = false; // as SimGrid 3.32: from the middle of a ring to its origin in the negative direction
};

std::unique_ptr<Topology> make_torus(const TorusShape& shape, HostNames names, std::vector<Link>& links);

} // namespace orrery
