// Hosts in cabinets: each cabinet has a switch with an uplink to the core, through which it talks to the
// others.
//
// Two hosts of a cabinet: own cable up, the other's cable down. Of different cabinets: own cable up, the
// cabinet's uplink, the core if it has a bandwidth of its own, the other cabinet's uplink down, the other's
// cable down.
//
// Wiring: a switch for each cabinet, then the core, a switch too. A host is at the port of its number in the
// cabinet, the uplink behind the hosts; cabinet i is at port i of the core. A bandwidth of the core is left
// out.
#pragma once

#include "machine/topologies/regular.h"

namespace orrery {

struct CabinetsShape {
    std::vector<std::uint32_t> sizes; // hosts per cabinet, in the order of the hosts
    Cable cable;
    Cable uplink;
    std::optional<Cable> core;
    std::optional<Link> loopback;
};

std::unique_ptr<Topology> make_cabinets(const CabinetsShape& shape, HostNames names, std::vector<Link>& links);

} // namespace orrery
