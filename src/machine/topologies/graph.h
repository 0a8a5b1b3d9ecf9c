// Any graph of hosts, switches and cables, routed along shortest paths or as the file says.
//
// The path with the fewest cables (of these the one of least latency) or of the least latency (of these the one
// with the fewest cables); of equal ones that which is found first when nodes are taken in the order of the
// file. A table of one row per node is computed when a route from it is first asked for; hosts with one cable
// need none, so that a large machine costs as many rows as it has switches.
//
// Wiring: the switches in the order of the file. A cable has the ports that the file gives it; the others take
// the lowest ports that are free at their ends, in the order of the cables.
#pragma once

#include "engine/error.h"
#include "machine/topologies/regular.h"

namespace orrery {

inline constexpr std::uint32_t any_port = ~std::uint32_t{0};
inline constexpr std::uint32_t most_ports = 65'535; // the highest port

struct GraphShape {
    struct Node {
        std::string name;
        std::uint64_t line = 0;  // where it was declared
        std::uint32_t level = 0; // of a switch, for pictures: its distance from the hosts
    };
    struct Edge {
        std::string name;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        Cable cable;
        std::uint32_t port_a = any_port;
        std::uint32_t port_b = any_port;
    };
    struct Path { // by hand
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::vector<std::uint32_t> edges; // in order; each leads on from where the last one ended
    };
    std::vector<Node> nodes; // the hosts first
    std::uint32_t hosts = 0;
    std::vector<Edge> edges;
    std::vector<Path> paths;
    bool by_latency = false;
    bool through_hosts = true; // whether messages between two hosts may pass a third one on their way
    std::optional<Link> loopback;
    std::string file; // for complaints
};

// Throws UsageError if a path by hand does not lead from its start to its end.
std::unique_ptr<Topology> make_graph(GraphShape shape, std::vector<Link>& links);

} // namespace orrery
