// How much one half of the hosts can send to the other half at the narrowest place, found by search.
//
// For any wiring: nodes are put on two sides with as many hosts on each, so that the bandwidth of the cables
// between them is small (Fiduccia and Mattheyses 1982, from several starts, one of them spectral). Finding the
// narrowest cut is hard, so the answer is an upper bound; on regular networks it is compared with the closed
// form in the tests. Also: which hosts are joined at all.
#pragma once

#include "machine/fabric/fabric.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

// The first host that host 0 cannot reach through switches, if there is one.
std::optional<HostId> unreached_host(const Fabric& fabric);

struct Bisection {
    double bandwidth = 0;          // bytes per second, in one direction
    std::uint64_t cables = 0;      // cut
    std::vector<bool> second_side; // by node
};

// Nothing for fewer than two hosts, or for more than `most_nodes`.
std::optional<Bisection> find_bisection(const Fabric& fabric, std::uint32_t most_nodes = 20'000);

} // namespace orrery
