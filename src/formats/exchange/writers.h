// Machines in the formats of other programs: Graphviz, OMNeT++, SimGrid, and as a machine file of our own.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/machine.h"

#include <string>

namespace orrery {

// Graphviz, undirected: hosts as boxes, switches of one level side by side, ports at the ends of the cables.
std::string write_dot(const Fabric& fabric, const std::string& name);

// OMNeT++: a compound module with arrays of hosts and switches (`like AbstractHost`, `like AbstractSwitch`) and
// all cables, as the paper on Dimemas and Venus describes map2ned; and the .ini with addresses, labels and
// numbers of ports.
struct NedFiles {
    std::string ned;
    std::string ini;
};
NedFiles write_ned(const Fabric& fabric, const std::string& name);

// SimGrid 4.1: a zone of the routing Full with a link for each link and a route for each pair of hosts, so the
// routes are ours whatever the topology. Throws InputError beyond `most_simgrid_hosts`.
inline constexpr std::uint32_t most_simgrid_hosts = 1024;
std::string write_simgrid(const Platform& platform, const std::string& name);

// A machine file of the topology 'graph' with the same hosts, switches, cables and settings; `routes` is the
// name of its route file, or empty.
std::string write_graph_toml(const Fabric& fabric, const Machine& machine, const std::string& routes);

} // namespace orrery
