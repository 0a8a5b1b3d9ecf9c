// Any graph of hosts, switches and cables, routed along shortest paths or as the file says.
//
// The path with the fewest cables (of these the one of least latency) or of the least latency (of these the one
// with the fewest cables); of equal ones that which is found first when nodes are taken in the order of the
// file. A table of one row per node is computed when a route from it is first asked for; hosts with one cable
// need none, so that a large machine costs as many rows as it has switches.
#pragma once

#include "engine/error.h"
#include "platform/topologies/regular.h"

namespace orrery {

struct GraphShape {
    struct Node {
        std::string name;
        std::uint64_t line = 0; // where it was declared
    };
    struct Edge {
        std::string name;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        Cable cable;
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
    std::optional<Link> loopback;
    std::string file; // for complaints
};

// Throws UsageError if a path by hand does not lead from its start to its end.
std::unique_ptr<Topology> make_graph(GraphShape shape, std::vector<Link>& links);

} // namespace orrery
