#include "machine/topologies/fat_tree.h"

#include "engine/error.h"
#include "machine/topologies/lists.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

// A node is its level and its number, which is the mixed-radix reading of its digits, the first digit fastest.
// The cables above level i are numbered node * (w p) + port.
class FatTree final : public RegularTopology {
  public:
    FatTree(const FatTreeShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape), levels_(shape.down.size()) {
        std::vector<double> cables;
        double nodes = host_count();
        double total = 0;
        double switches = 0;
        for (std::size_t i = 0; i < levels_; ++i) {
            cables.push_back(nodes * shape.up[i] * shape.parallel[i]);
            nodes = nodes / shape.down[i] * shape.up[i];
            total += cables.back() * shape.cables[i].links();
            switches += nodes;
        }
        check_link_count(total + host_count() + switches);
        for (std::size_t i = 0; i < levels_; ++i) {
            cables_.push_back(add_cables(fmt::format("link.level{}", i + 1), shape.cables[i],
                                         static_cast<std::uint64_t>(cables[i]), links));
        }
        if (shape.limiter) {
            limiters_ = add_cables("limiter", {*shape.limiter, Time::zero(), Duplex::shared},
                                   host_count() + static_cast<std::uint64_t>(switches), links);
        }
        first_node_.push_back(0);
        for (std::size_t i = 0; i < levels_; ++i) {
            first_node_.push_back(first_node_.back() + fat_tree_nodes(shape_, i));
        }
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && loopback(from, links)) return;
        const std::size_t top = common_level(from.value, to.value);
        const std::uint32_t destination = shape_.first_position + to.value;
        // Up. `low` are the digits chosen so far (w), `high` those of the source that remain (m).
        std::uint32_t low = 0;
        std::uint32_t high = from.value;
        std::uint32_t width = 1; // w1 * ... * wi
        for (std::size_t i = 0; i < top; ++i) {
            const std::uint32_t ports = shape_.up[i] * shape_.parallel[i];
            const std::uint32_t port = destination / width % ports;
            const std::uint32_t node = low + width * high;
            limit(i, node, links);
            links.push_back(cables_[i].up(std::uint64_t{node} * ports + port));
            low += width * (port % shape_.up[i]);
            width *= shape_.up[i];
            high /= shape_.down[i];
        }
        descend(from, to, top, low, links);
        limit(0, to.value, links);
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        if (shape_.limiter && limiters_.holds(link)) {
            const std::uint32_t index = limiters_.cable_of(link);
            std::size_t level = levels_;
            while (first_node_[level] > index) --level;
            return node_name(level, index - first_node_[level]) + " limiter";
        }
        std::size_t level = 0;
        while (!cables_[level].holds(link)) ++level;
        const std::uint32_t ports = shape_.up[level] * shape_.parallel[level];
        const std::uint32_t cable = cables_[level].cable_of(link);
        return fmt::format("{} port {}{}", node_name(level, cable / ports), cable % ports,
                           cables_[level].direction_of(link));
    }

    [[nodiscard]] std::string words() const override {
        return fmt::format("fat tree {}; {}; {}; {}", levels_, fmt::join(shape_.down, ","),
                           fmt::join(shape_.up, ","), fmt::join(shape_.parallel, ","));
    }

    // Cut between the halves of the top level's subtrees: what the narrowest level carries for half of the
    // hosts.
    [[nodiscard]] std::optional<double> bisection() const override {
        double least = -1;
        double nodes = host_count();
        for (std::size_t i = 0; i < levels_; ++i) {
            const double cables = nodes * shape_.up[i] * shape_.parallel[i];
            const double half = cables * shape_.cables[i].bandwidth / 2;
            if (least < 0 || half < least) least = half;
            nodes = nodes / shape_.down[i] * shape_.up[i];
        }
        return least;
    }

    bool wire(Wiring& wiring) const override {
        std::uint32_t below = 0; // the first node of the level
        for (std::size_t i = 0; i < levels_; ++i) {
            const std::uint32_t nodes = fat_tree_nodes(shape_, i);
            const std::uint32_t above = fat_tree_nodes(shape_, i + 1);
            for (std::uint32_t number = 0; number < above; ++number) {
                wiring.switches.push_back(
                    {fmt::format("switch {}.{}", i + 1, number), static_cast<std::uint32_t>(i + 1)});
            }
            for (std::uint32_t number = 0; number < nodes; ++number) {
                wire_up(i, number, NodeId{below + number}, below + nodes, wiring);
            }
            below += nodes;
        }
        if (shape_.limiter) wiring.left_out.emplace_back(limiters_left_out);
        return true;
    }

    [[nodiscard]] Regularity regularity() const override { return {.tree = &shape_}; }

  private:
    // The cables of a node of level i to its parents, the first of which has the node `parents`.
    void wire_up(std::size_t i, std::uint32_t number, NodeId node, std::uint32_t parents,
                 Wiring& wiring) const {
        std::uint32_t width = 1;
        for (std::size_t j = 0; j < i; ++j) width *= shape_.up[j];
        const std::uint32_t low = number % width;
        const std::uint32_t high = number / width;
        const std::uint32_t behind = i == 0 ? 0 : shape_.down[i - 1] * shape_.parallel[i - 1];
        const std::uint32_t ports = shape_.up[i] * shape_.parallel[i];
        for (std::uint32_t port = 0; port < ports; ++port) {
            const std::uint32_t parent = switch_number(i + 1, port % shape_.up[i], low, width, high);
            const std::uint32_t arrives = high % shape_.down[i] * shape_.parallel[i] + port / shape_.up[i];
            const std::uint64_t cable = std::uint64_t{number} * ports + port;
            wiring.cables.push_back({node, NodeId{parents + parent}, behind + port, arrives,
                                     cables_[i].up(cable), cables_[i].down(cable)});
        }
    }

    // The lowest level whose switches have both hosts below them; 1 for a host itself: it turns at its switch.
    [[nodiscard]] std::size_t common_level(std::uint32_t a, std::uint32_t b) const {
        std::size_t level = 1;
        for (a /= shape_.down[0], b /= shape_.down[0]; a != b; ++level) {
            a /= shape_.down[level];
            b /= shape_.down[level];
        }
        return level;
    }

    // From the switch of level `top` with the digits `low` that has both below it, to the destination.
    void descend(HostId from, HostId to, std::size_t top, std::uint32_t low, std::vector<LinkId>& links) const {
        std::size_t level = top;
        std::uint64_t stale = 0; // where SimGrid's search for a port stands
        bool searching = false;
        while (level > 0) {
            const std::size_t i = level - 1;
            std::uint32_t width = 1;
            for (std::size_t j = 0; j < i; ++j) width *= shape_.up[j];
            const std::uint32_t parent_digit = low / width;
            low %= width;
            std::uint32_t high = to.value;
            for (std::size_t j = 0; j < i; ++j) high /= shape_.down[j];
            const std::uint32_t digit = high % shape_.down[i];
            std::uint32_t copy = (shape_.first_position + from.value) % shape_.parallel[i];
            if (shape_.simgrid) {
                // SimGrid goes through the ports in one loop that it does not restart at each level unless it
                // runs out of ports: it takes the first fitting port after the one of the level above.
                std::uint64_t port = searching ? stale + 1 : std::uint64_t{copy} * shape_.down[i];
                const std::uint64_t ports = std::uint64_t{shape_.down[i]} * shape_.parallel[i];
                while (port < ports && port % shape_.down[i] != digit) ++port;
                if (port >= ports) {
                    port = std::uint64_t{copy} * shape_.down[i] + digit;
                }
                stale = port;
                searching = true;
                copy = static_cast<std::uint32_t>(port / shape_.down[i]);
            }
            const std::uint32_t node = low + width * high;
            const std::uint32_t ports = shape_.up[i] * shape_.parallel[i];
            const std::uint32_t port = parent_digit + copy * shape_.up[i];
            links.push_back(cables_[i].down(std::uint64_t{node} * ports + port));
            limit(level, switch_number(level, parent_digit, low, width, high), links);
            level = i;
        }
    }

    // Of the switch of `level` above the node (low, high) whose digit there is `parent_digit`.
    [[nodiscard]] std::uint32_t switch_number(std::size_t level, std::uint32_t parent_digit, std::uint32_t low,
                                              std::uint32_t width, std::uint32_t high) const {
        return low + width * parent_digit + width * shape_.up[level - 1] * (high / shape_.down[level - 1]);
    }

    void limit(std::size_t level, std::uint32_t node, std::vector<LinkId>& links) const {
        if (shape_.limiter) links.push_back(limiters_.up(first_node_[level] + node));
    }

    [[nodiscard]] std::string node_name(std::size_t level, std::uint32_t node) const {
        return level == 0 ? host_name({node}) : fmt::format("switch {}.{}", level, node);
    }

    FatTreeShape shape_;
    std::size_t levels_;
    std::vector<CableSet> cables_;          // above level i
    CableSet limiters_;                     // of the hosts, then of the switches level by level
    std::vector<std::uint32_t> first_node_; // of each level, in the order of the limiters
};

} // namespace

void parse_fat_tree(std::string_view text, FatTreeShape& shape) {
    constexpr std::string_view expected =
        "a fat tree 'levels; children; parents; parallel cables' such as '2; 20,320; 1,8; 1,2'";
    std::string_view inner = text;
    if (inner.starts_with("XGFT(") && inner.ends_with(")")) inner = inner.substr(5, inner.size() - 6);
    const auto parts = split_at(inner, ';');
    if (parts.size() != 3 && parts.size() != 4) {
        throw UsageError(fmt::format("'{}' is not {}", text, expected));
    }
    const auto levels = parse_counts(parts[0]);
    shape.down = parse_counts(parts[1]);
    shape.up = parse_counts(parts[2]);
    shape.parallel =
        parts.size() == 4 ? parse_counts(parts[3]) : std::vector<std::uint32_t>(shape.up.size(), 1);
    if (levels.size() != 1 || shape.down.size() != levels[0] || shape.up.size() != levels[0] ||
        shape.parallel.size() != levels[0]) {
        throw UsageError(
            fmt::format("'{}' has {} levels, but {} counts of children, {} of parents, {} of cables", text,
                        levels[0], shape.down.size(), shape.up.size(), shape.parallel.size()));
    }
}

std::uint32_t fat_tree_nodes(const FatTreeShape& shape, std::size_t level) {
    std::uint32_t nodes = 1;
    for (std::size_t i = 0; i < shape.down.size(); ++i) nodes *= i < level ? shape.up[i] : shape.down[i];
    return nodes;
}

std::uint64_t fat_tree_hosts(const FatTreeShape& shape) { return bounded_product(shape.down); }

std::unique_ptr<Topology> make_fat_tree(const FatTreeShape& shape, HostNames names, std::vector<Link>& links) {
    return std::make_unique<FatTree>(shape, std::move(names), links);
}

} // namespace orrery
