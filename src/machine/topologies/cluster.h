// Hosts on one switch, each with a cable of its own; optionally a limiter per host (what its interface can
// carry in both directions together) and a backbone that all messages pass. Without these it is a crossbar.
//
// The route is: limiter, own cable up, backbone, the other's cable down, its limiter. A host without loopback
// sends to itself over its own cable, up and down, as in SimGrid.
//
// Wiring: one switch; host i is at its port i. Limiters and the backbone are left out.
#pragma once

#include "machine/topologies/regular.h"

namespace orrery {

struct ClusterShape {
    Cable cable;
    std::optional<double> limiter; // bytes per second
    std::optional<Cable> backbone; // split duplex has no meaning here
    std::optional<Link> loopback;
    bool crossbar = false; // only for words()
};

class ClusterTopology : public RegularTopology {
  public:
    using RegularTopology::RegularTopology;
    // The two halves of a route: from a host to the switch, and from the switch to a host.
    virtual void route_up(HostId from, std::vector<LinkId>& links) const = 0;
    virtual void route_down(HostId to, std::vector<LinkId>& links) const = 0;
};

std::unique_ptr<ClusterTopology> make_cluster(const ClusterShape& shape, HostNames names,
                                              std::vector<Link>& links);

} // namespace orrery
