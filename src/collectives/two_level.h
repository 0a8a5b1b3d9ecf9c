// Which ranks share a node: for algorithms that treat messages within a node and between nodes apart.
#pragma once

#include "collectives/call.h"

#include <vector>

namespace orrery::coll {

// More than one node, and more than one rank on some node: only then there are two levels.
bool has_hierarchy(const CollectiveCall& call);
// The same number of ranks on each node. If nothing is known, each rank is alone on its node.
bool nodes_uniform(const CollectiveCall& call);
// How many that is; 1 if they differ, as SimGrid takes it.
std::uint32_t ranks_per_node(const CollectiveCall& call);
// The ranks of each node follow one another.
bool nodes_consecutive(const CollectiveCall& call);

// The node of this rank, and the leaders (first ranks) of all nodes in their order. Costs two arrays and O(p
// log p).
struct Nodes {
    explicit Nodes(const CollectiveCall& call);

    std::vector<std::uint32_t> members; // ranks on this node, in order
    std::vector<std::uint32_t> leaders; // in order
    std::uint32_t local = 0;            // this rank's place in members
    std::uint32_t node = 0;             // this node's place in leaders
    std::uint32_t root_node = 0;        // the root's node, as a place in leaders
    std::uint32_t root_local = 0;       // the root's place on its own node
    std::vector<std::uint32_t> order;   // all ranks, node by node
    std::vector<std::uint32_t> first;   // where each node begins in `order`; one more at the end

    [[nodiscard]] bool is_leader() const { return local == 0; }
    [[nodiscard]] bool on_root_node() const { return node == root_node; }
};

} // namespace orrery::coll
