#include "collectives/two_level.h"

#include <algorithm>
#include <numeric>

namespace orrery::coll {

namespace {

// How many ranks each node has, by node.
std::vector<std::uint32_t> node_sizes(const CollectiveCall& call) {
    std::vector<std::uint32_t> sorted(call.node_of.begin(), call.node_of.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> sizes;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i] != sorted[i - 1]) sizes.push_back(0);
        ++sizes.back();
    }
    return sizes;
}

} // namespace

bool has_hierarchy(const CollectiveCall& call) {
    const auto& nodes = call.node_of;
    if (nodes.empty()) return false;
    if (std::adjacent_find(nodes.begin(), nodes.end(), std::not_equal_to<>()) == nodes.end())
        return false; // one node
    if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end())
        return true; // the usual case, seen at once
    return node_sizes(call).size() < nodes.size();
}

bool nodes_uniform(const CollectiveCall& call) {
    const std::vector<std::uint32_t> sizes = node_sizes(call);
    return std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
}

std::uint32_t ranks_per_node(const CollectiveCall& call) {
    return call.node_of.empty() || !nodes_uniform(call) ? 1 : node_sizes(call).front();
}

bool nodes_consecutive(const CollectiveCall& call) {
    if (call.node_of.empty()) return true;
    std::size_t changes = 1;
    for (std::size_t i = 1; i < call.node_of.size(); ++i)
        changes += call.node_of[i] != call.node_of[i - 1] ? 1 : 0;
    return changes == node_sizes(call).size();
}

Nodes::Nodes(const CollectiveCall& call) : order(call.size) {
    std::iota(order.begin(), order.end(), 0);
    if (call.node_of.empty()) {
        first.resize(call.size + 1);
        std::iota(first.begin(), first.end(), 0);
    } else {
        // Node by node, the nodes by their first ranks.
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return call.node_of[a] < call.node_of[b]; });
        std::vector<std::vector<std::uint32_t>> groups;
        for (const std::uint32_t rank : order) {
            if (groups.empty() || call.node_of[groups.back().front()] != call.node_of[rank])
                groups.emplace_back();
            groups.back().push_back(rank);
        }
        std::sort(groups.begin(), groups.end()); // by first rank: no rank is in two groups
        order.clear();
        for (const auto& group : groups) {
            first.push_back(static_cast<std::uint32_t>(order.size()));
            order.insert(order.end(), group.begin(), group.end());
        }
        first.push_back(call.size);
    }
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
        leaders.push_back(order[first[i]]);
        for (std::uint32_t j = first[i]; j < first[i + 1]; ++j) {
            if (order[j] == call.rank) {
                node = static_cast<std::uint32_t>(i);
                local = j - first[i];
            }
            if (order[j] == call.root) {
                root_node = static_cast<std::uint32_t>(i);
                root_local = j - first[i];
            }
        }
    }
    members.assign(order.begin() + first[node], order.begin() + first[node + 1]);
}

} // namespace orrery::coll
