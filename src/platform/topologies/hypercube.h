// A hypercube: 2^d hosts; a cable joins each two whose numbers differ in one binary digit.
//
// Routes mend the digits from the lowest to the highest (e-cube), so the way there and the way back differ. A
// message to the same host passes no link unless there is a loopback.
#pragma once

#include "platform/topologies/regular.h"

namespace orrery {

struct HypercubeShape {
    std::uint32_t dimensions = 0;
    Cable cable;
    std::optional<Link> loopback;
};

std::unique_ptr<Topology> make_hypercube(const HypercubeShape& shape, HostNames names,
                                         std::vector<Link>& links);

} // namespace orrery
