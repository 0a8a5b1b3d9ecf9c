// The paths between two hosts of a fat tree, numbered.
//
// Going up, a node of level i has w p ports: port j leads to parent j mod w by cable j / w, as in
// topologies/fat_tree.h. The ports taken upwards decide at which common ancestor the path turns; down from
// there, only the choice among parallel cables is left. Nodes are found from the wiring; ports are in the order
// of the numbers of their links.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/routing/routing.h"
#include "machine/topologies/fat_tree.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

class FatTreePaths {
  public:
    // Throws InputError if the fabric is no fat tree.
    explicit FatTreePaths(const Fabric& fabric);

    [[nodiscard]] const FatTreeShape& shape() const { return *shape_; }
    [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(shape_->down.size()); }
    // The level of the lowest switches that have both hosts below them.
    [[nodiscard]] std::uint32_t height(HostId from, HostId to) const;
    [[nodiscard]] std::uint32_t ports(std::uint32_t level) const { return shape_->up[level] * copies(level); }
    // Parallel cables between a node of `level` and a parent.
    [[nodiscard]] std::uint32_t copies(std::uint32_t level) const { return shape_->parallel[level]; }

    [[nodiscard]] LinkId up(NodeId node, std::uint32_t port) const {
        return up_[first_up_[node.index()] + port].channel;
    }
    // From a switch of `level` towards a host below it.
    [[nodiscard]] LinkId down(NodeId node, std::uint32_t level, HostId to, std::uint32_t copy) const {
        return down_[first_down_[node.index()] + digits(to)[level - 1] * copies(level - 1) + copy].channel;
    }
    [[nodiscard]] bool has_below(std::uint32_t level, NodeId node, HostId host) const {
        return host.value / hosts_below(level) == first_host_[node.index()] / hosts_below(level);
    }
    [[nodiscard]] std::uint32_t hosts_below(std::uint32_t level) const { return hosts_below_[level]; }

    // Appends the path: ports[i] is taken up from level i, and cable copies[i] down to it.
    void append(HostId from, HostId to, std::span<const std::uint32_t> ports,
                std::span<const std::uint32_t> copies, std::vector<Hop>& hops) const;

  private:
    // A channel, and where those of the node that it leads to begin in up_ and down_: one load for each hop.
    struct Branch {
        LinkId channel;
        std::uint32_t up = 0;
        std::uint32_t down = 0;
    };
    // Which child of each level it is or lies below, level 1 first.
    [[nodiscard]] const std::uint32_t* digits(HostId host) const {
        return digits_.data() + host.index() * levels();
    }

    const FatTreeShape* shape_;
    std::vector<std::uint32_t> hosts_below_; // of a node of each level
    std::vector<std::uint32_t> first_host_;  // below each node
    std::vector<std::uint32_t> first_up_;    // of each node, in up_
    std::vector<std::uint32_t> first_down_;
    std::vector<Branch> up_;
    std::vector<Branch> down_;          // by child, then by cable
    std::vector<std::uint32_t> digits_; // of each host: divisions would take most of the time of a route
};

} // namespace orrery
