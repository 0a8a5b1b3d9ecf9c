// A torus of any number of dimensions: router i has the coordinates i mod d1, (i / d1) mod d2, ... and a cable
// to the next router in each dimension, the last to the first. In a dimension of two there is one cable, not
// two. A mesh is the same without the cables from the last to the first.
//
// Routes are dimension by dimension, the first dimension first, the shorter way round; in the positive
// direction if both are equally long. A message to the same host passes no link unless there is a loopback.
//
// A host is its router, unless hosts have cables of their own: then router r has the hosts r n to r n + n - 1,
// and routes begin and end with these cables.
//
// Wiring: router i is switch i; in dimension k (from 0) port 2k leads in the positive direction, 2k+1 in the
// negative one, and behind these 2 d ports come the hosts. Where there is no cable (the edge of a mesh, one of
// the two in a dimension of two) the port is not joined. Limiters are left out.
#pragma once

#include "machine/topologies/regular.h"

namespace orrery {

struct TorusShape {
    std::vector<std::uint32_t> dimensions; // routers in each
    std::vector<Cable> cables;             // one per dimension
    std::optional<double> limiter; // bytes per second that pass each router on the way, own traffic included
    std::optional<Link> loopback;
    bool simgrid = false; // as SimGrid 3.32: from the middle of a ring to its origin in the negative direction
    bool wraps = true;    // false: a mesh
    std::uint32_t nodes = 1;         // hosts per router
    std::optional<Cable> node_cable; // between a host and its router; required if there are several
};

std::uint64_t torus_hosts(const TorusShape& shape);

std::unique_ptr<Topology> make_torus(const TorusShape& shape, HostNames names, std::vector<Link>& links);

} // namespace orrery
