// HyperX (Ahn et al. 2009): routers on a grid, joined all to all in each dimension; several hosts on each
// router, with cables of their own. A flattened butterfly is one; a fully connected network has one dimension.
//
// Router i has the coordinates i mod d1, (i / d1) mod d2, ...; router r has the hosts r n to r n + n - 1.
// Routes mend the coordinates in the order of the dimensions, one cable for each that differs.
//
// Wiring: router i is switch i. Dimension k has d_k - 1 ports, those of the first dimension first; in it,
// coordinate c is reached by port number c, or c - 1 if c is above one's own. The hosts follow behind.
#pragma once

#include "machine/topologies/regular.h"

namespace orrery {

struct HyperXShape {
    std::vector<std::uint32_t> dimensions; // routers in each
    std::vector<Cable> cables;             // one per dimension
    std::uint32_t nodes = 1;               // hosts per router
    Cable node_cable;
    std::optional<Link> loopback;
};

std::uint64_t hyperx_hosts(const HyperXShape& shape);

std::unique_ptr<Topology> make_hyperx(const HyperXShape& shape, HostNames names, std::vector<Link>& links);

} // namespace orrery
