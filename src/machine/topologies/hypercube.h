// A hypercube: 2^d routers; a cable joins each two whose numbers differ in one binary digit.
//
// Routes mend the digits from the lowest to the highest (e-cube), so the way there and the way back differ. A
// message to the same host passes no link unless there is a loopback.
//
// A host is its router, unless hosts have cables of their own: then router r has the hosts r n to r n + n - 1.
//
// Wiring: router i is switch i; port k flips digit k, and behind these d ports come the hosts.
#pragma once

#include "machine/topologies/regular.h"

namespace orrery {

struct HypercubeShape {
    std::uint32_t dimensions = 0;
    Cable cable;
    std::optional<Link> loopback;
    std::uint32_t nodes = 1;         // hosts per router
    std::optional<Cable> node_cable; // between a host and its router; required if there are several
};

std::unique_ptr<Topology> make_hypercube(const HypercubeShape& shape, HostNames names,
                                         std::vector<Link>& links);

} // namespace orrery
