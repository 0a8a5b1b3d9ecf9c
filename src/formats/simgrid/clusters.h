// <cluster>: the regular topologies of a platform file.
#pragma once

#include "formats/simgrid/element.h"
#include "formats/simgrid/zones.h"
#include "machine/platform.h"

#include <memory>
#include <string>
#include <vector>

namespace orrery::simgrid {

struct BuiltCluster {
    std::unique_ptr<Topology> topology;
    const ClusterTopology* flat = nullptr; // the same, if it is one on a single switch
    std::vector<Link> links;
    std::uint32_t hosts = 0;
    Host host;          // what each of them is like
    std::string router; // of a flat one: its gateway
};

// `position` counts the hosts of all fat trees of the platform. Throws InputError.
BuiltCluster build_cluster(const Element& element, bool quirks, std::uint32_t& position);

// The attribute `radical` between `prefix` and `suffix`.
HostNames read_names(const Element& element);

} // namespace orrery::simgrid
