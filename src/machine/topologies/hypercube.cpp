#include "machine/topologies/hypercube.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

// The cables of digit d are numbered by their lower end with that digit taken out: d * 2^(n-1) + that.
class Hypercube final : public RegularTopology {
  public:
    Hypercube(const HypercubeShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape),
          routers_(host_count() / shape.nodes), half_(routers_ / 2) {
        const double node_links = shape.node_cable ? 2.0 * host_count() : 0.0;
        check_link_count(static_cast<double>(half_) * shape.dimensions * shape.cable.links() + node_links);
        cables_ = add_cables("link", shape.cable, std::uint64_t{half_} * shape.dimensions, links);
        if (shape.node_cable) nodes_ = add_cables("link.node", *shape.node_cable, host_count(), links);
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && (loopback(from, links) || !shape_.node_cable)) return;
        if (shape_.node_cable) links.push_back(nodes_.up(from.value));
        std::uint32_t at = from.value / shape_.nodes;
        const std::uint32_t target = to.value / shape_.nodes;
        for (std::uint32_t digit = 0; digit < shape_.dimensions; ++digit) {
            const std::uint32_t bit = 1U << digit;
            if (((at ^ target) & bit) == 0) continue;
            links.push_back((at & bit) == 0 ? cables_.up(cable(at, digit)) : cables_.down(cable(at, digit)));
            at ^= bit;
        }
        if (shape_.node_cable) links.push_back(nodes_.down(to.value));
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        if (shape_.node_cable && nodes_.holds(link)) {
            return fmt::format("{}{}", host_name({nodes_.cable_of(link)}), nodes_.direction_of(link));
        }
        const std::uint32_t cable = cables_.cable_of(link);
        const std::uint32_t digit = cable / half_;
        const std::uint32_t rest = cable % half_;
        const std::uint32_t lower = ((rest >> digit) << (digit + 1)) | (rest & ((1U << digit) - 1));
        const std::uint32_t upper = lower | (1U << digit);
        const bool back = cables_.direction_of(link) == " down";
        return fmt::format("{} to {}", router_name(back ? upper : lower), router_name(back ? lower : upper));
    }

    [[nodiscard]] std::string words() const override {
        return fmt::format("hypercube of {} dimensions{}", shape_.dimensions,
                           shape_.nodes > 1 ? fmt::format(" with {} hosts per router", shape_.nodes) : "");
    }

    [[nodiscard]] std::optional<double> bisection() const override {
        const double routers = half_ * shape_.cable.bandwidth;
        return shape_.node_cable ? std::min(routers, half_the_hosts() * shape_.node_cable->bandwidth) : routers;
    }

    bool wire(Wiring& wiring) const override {
        for (std::uint32_t router = 0; router < routers_; ++router) {
            wiring.switches.push_back({"router " + std::to_string(router), 0});
            for (std::uint32_t digit = 0; digit < shape_.dimensions; ++digit) {
                const std::uint32_t other = router ^ (1U << digit);
                if (other < router) continue;
                wiring.cables.push_back({switch_node(router), switch_node(other), digit, digit,
                                         cables_.up(cable(router, digit)), cables_.down(cable(router, digit))});
            }
        }
        for (std::uint32_t host = 0; host < host_count(); ++host) {
            const NodeId router = switch_node(host / shape_.nodes);
            if (!shape_.node_cable) {
                wiring.router_of_host.push_back(router);
                continue;
            }
            wiring.cables.push_back({NodeId{host}, router, 0, shape_.dimensions + host % shape_.nodes,
                                     nodes_.up(host), nodes_.down(host)});
        }
        wiring.first_host_port = shape_.dimensions;
        return true;
    }

    [[nodiscard]] Regularity regularity() const override {
        return {.grid = RouterGrid{Joined::by_digits, std::vector<std::uint32_t>(shape_.dimensions, 2),
                                   shape_.nodes}};
    }

  private:
    // The cable of a router that flips `digit`.
    [[nodiscard]] std::uint64_t cable(std::uint32_t router, std::uint32_t digit) const {
        const std::uint32_t low = router & ((1U << digit) - 1);
        return std::uint64_t{digit} * half_ + ((router >> (digit + 1)) << digit) + low;
    }

    // A router that is a host has the name of the host.
    [[nodiscard]] std::string router_name(std::uint32_t router) const {
        return shape_.node_cable ? fmt::format("router {}", router) : host_name({router});
    }

    HypercubeShape shape_;
    std::uint32_t routers_;
    std::uint32_t half_;
    CableSet cables_;
    CableSet nodes_;
};

} // namespace

std::unique_ptr<Topology> make_hypercube(const HypercubeShape& shape, HostNames names,
                                         std::vector<Link>& links) {
    return std::make_unique<Hypercube>(shape, std::move(names), links);
}

} // namespace orrery
