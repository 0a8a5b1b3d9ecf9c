#include "machine/topologies/torus.h"

#include "machine/topologies/lists.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

class Torus final : public RegularTopology {
  public:
    Torus(const TorusShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape),
          routers_(host_count() / shape.nodes) {
        double total = shape.node_cable ? 2.0 * host_count() : 0.0;
        for (const Cable& cable : shape.cables) total += static_cast<double>(routers_) * cable.links();
        check_link_count(total);
        for (const Cable& cable : shape.cables)
            cables_.push_back(
                add_cables(fmt::format("link.dimension{}", cables_.size() + 1), cable, routers_, links));
        if (shape.limiter)
            limiters_ = add_cables("limiter", {*shape.limiter, Time::zero(), Duplex::shared}, routers_, links);
        if (shape.node_cable) nodes_ = add_cables("link.node", *shape.node_cable, host_count(), links);
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && loopback(from, links)) return;
        if (shape_.node_cable) links.push_back(nodes_.up(from.value));
        walk(from.value / shape_.nodes, to.value / shape_.nodes, links);
        if (shape_.node_cable) links.push_back(nodes_.down(to.value));
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        if (shape_.node_cable && nodes_.holds(link)) {
            return fmt::format("{}{}", host_name({nodes_.cable_of(link)}), nodes_.direction_of(link));
        }
        if (shape_.limiter && limiters_.holds(link)) return router_name(limiters_.cable_of(link)) + " limiter";
        std::size_t axis = 0;
        while (!cables_[axis].holds(link)) ++axis;
        const std::uint32_t at = cables_[axis].cable_of(link);
        const std::uint32_t next = next_on(axis, at);
        const bool back = cables_[axis].direction_of(link) == " down";
        return fmt::format("{} to {}", router_name(back ? next : at), router_name(back ? at : next));
    }

    [[nodiscard]] std::string words() const override {
        return fmt::format("{} {}{}", shape_.wraps ? "torus" : "mesh", fmt::join(shape_.dimensions, " x "),
                           shape_.nodes > 1 ? fmt::format(" with {} hosts per router", shape_.nodes) : "");
    }

    // Cut across the dimension in which the fewest bytes pass; a ring of more than two is cut at two places.
    [[nodiscard]] std::optional<double> bisection() const override {
        double least = -1;
        for (std::size_t axis = 0; axis < shape_.dimensions.size(); ++axis) {
            const std::uint32_t size = shape_.dimensions[axis];
            if (size < 2) continue;
            const double rings = static_cast<double>(routers_) / size;
            const double cut = (size == 2 || !shape_.wraps ? 1 : 2) * rings * shape_.cables[axis].bandwidth;
            if (least < 0 || cut < least) least = cut;
        }
        if (shape_.node_cable) {
            const double hosts = shape_.node_cable->bandwidth * half_the_hosts();
            if (least < 0 || hosts < least) least = hosts;
        }
        if (least < 0) return std::nullopt;
        return least;
    }

    bool wire(Wiring& wiring) const override {
        const auto axes = static_cast<std::uint32_t>(shape_.dimensions.size());
        for (std::uint32_t router = 0; router < routers_; ++router) {
            wiring.switches.push_back({"router " + std::to_string(router), 0});
            std::uint32_t stride = 1;
            for (std::uint32_t axis = 0; axis < axes; ++axis) {
                const std::uint32_t size = shape_.dimensions[axis];
                const bool last = router / stride % size == size - 1;
                stride *= size;
                if (last && (size <= 2 || !shape_.wraps)) continue;
                wiring.cables.push_back({switch_node(router), switch_node(next_on(axis, router)), 2 * axis,
                                         2 * axis + 1, cables_[axis].up(router), cables_[axis].down(router)});
            }
        }
        for (std::uint32_t host = 0; host < host_count(); ++host) {
            const NodeId router = switch_node(host / shape_.nodes);
            if (!shape_.node_cable) {
                wiring.router_of_host.push_back(router);
                continue;
            }
            wiring.cables.push_back(
                {NodeId{host}, router, 0, 2 * axes + host % shape_.nodes, nodes_.up(host), nodes_.down(host)});
        }
        wiring.first_host_port = 2 * axes;
        if (shape_.limiter) wiring.left_out.emplace_back(limiters_left_out);
        return true;
    }

    [[nodiscard]] Regularity regularity() const override {
        return {.grid = RouterGrid{shape_.wraps ? Joined::in_rings : Joined::in_lines, shape_.dimensions,
                                   shape_.nodes, shape_.simgrid}};
    }

  private:
    // From router to router.
    void walk(std::uint32_t at, std::uint32_t target, std::vector<LinkId>& links) const {
        std::uint32_t stride = 1;
        for (std::size_t axis = 0; axis < shape_.dimensions.size(); ++axis) {
            const std::uint32_t size = shape_.dimensions[axis];
            std::uint32_t here = at / stride % size;
            const std::uint32_t there = target / stride % size;
            const bool forward = leads_forward(here, there, size, shape_.wraps, shape_.simgrid);
            while (here != there) {
                if (shape_.limiter) links.push_back(limiters_.up(at));
                // The cable of the router at its lower end: its up link goes in the positive direction.
                const std::uint32_t next = forward ? (here + 1) % size : (here + size - 1) % size;
                const std::uint32_t then = at - here * stride + next * stride;
                links.push_back(forward ? cables_[axis].up(at) : cables_[axis].down(then));
                here = next;
                at = then;
            }
            stride *= size;
        }
        if (shape_.limiter) links.push_back(limiters_.up(at));
    }

    // The router that follows `at` in a dimension.
    [[nodiscard]] std::uint32_t next_on(std::size_t axis, std::uint32_t at) const {
        std::uint32_t stride = 1;
        for (std::size_t i = 0; i < axis; ++i) stride *= shape_.dimensions[i];
        const std::uint32_t size = shape_.dimensions[axis];
        const std::uint32_t here = at / stride % size;
        return at - here * stride + (here + 1) % size * stride;
    }

    // A router that is a host has the name of the host.
    [[nodiscard]] std::string router_name(std::uint32_t router) const {
        return shape_.node_cable ? fmt::format("router {}", router) : host_name({router});
    }

    TorusShape shape_;
    std::uint32_t routers_;
    std::vector<CableSet> cables_;
    CableSet limiters_;
    CableSet nodes_;
};

} // namespace

std::uint64_t torus_hosts(const TorusShape& shape) {
    std::vector<std::uint32_t> factors = shape.dimensions;
    factors.push_back(shape.nodes);
    return bounded_product(factors);
}

std::unique_ptr<Topology> make_torus(const TorusShape& shape, HostNames names, std::vector<Link>& links) {
    return std::make_unique<Torus>(shape, std::move(names), links);
}

} // namespace orrery
