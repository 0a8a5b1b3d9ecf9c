#include "machine/topologies/dragonfly.h"

#include "engine/error.h"
#include "machine/topologies/lists.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

// The pairs a < b of n things, counted 0, 1, 2, ...
std::uint64_t pair_count(std::uint64_t n) { return n * (n - 1) / 2; }
std::uint64_t pair_index(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
    return a * n - a * (a + 1) / 2 + (b - a - 1);
}

Cable times(Cable cable, std::uint32_t count) {
    cable.bandwidth *= count;
    return cable;
}

// Where a router is.
struct Place {
    std::uint32_t group;
    std::uint32_t chassis;
    std::uint32_t router;
    bool operator==(const Place&) const = default;
};

class Dragonfly final : public RegularTopology {
  public:
    Dragonfly(const DragonflyShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape), plan_(shape) {
        const std::uint64_t routers = std::uint64_t{shape.groups} * plan_.group_routers();
        const std::uint64_t greens = std::uint64_t{shape.groups} * shape.chassis * pair_count(shape.routers);
        const std::uint64_t blacks = std::uint64_t{shape.groups} * pair_count(shape.chassis) * shape.routers;
        const std::uint64_t blues = pair_count(shape.groups) * plan_.copies();
        check_link_count(2.0 * static_cast<double>(host_count() + greens + blacks + blues) +
                         static_cast<double>(routers));
        nodes_ = add_cables("link.node", shape.node_cable, host_count(), links);
        greens_ = add_cables("link.green", times(shape.green_cable, shape.green), greens, links);
        blacks_ = add_cables("link.black", times(shape.black_cable, shape.black), blacks, links);
        blues_ = add_cables("link.blue", times(shape.blue_cable, shape.simgrid_cables ? shape.blue : 1), blues,
                            links);
        if (shape.limiter) {
            limiters_ = add_cables("limiter", {*shape.limiter, Time::zero(), Duplex::shared},
                                   host_count() + routers, links);
        }
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && loopback(from, links)) return;
        Place at = place_of(from);
        const Place target = place_of(to);
        if (shape_.limiter) links.push_back(limiters_.up(from.value));
        links.push_back(nodes_.up(from.value));
        if (at.group != target.group) cross(at, target.group, to.value % plan_.copies(), links);
        if (!(at == target)) walk(at, target, shape_.simgrid_routes, links);
        limit(target, links);
        links.push_back(nodes_.down(to.value));
        if (shape_.limiter) links.push_back(limiters_.up(to.value));
    }

    [[nodiscard]] std::string name_of(LinkId link) const override;

    [[nodiscard]] std::string words() const override {
        return fmt::format("dragonfly of {} groups x {} chassis x {} routers x {} hosts", shape_.groups,
                           shape_.chassis, shape_.routers, shape_.nodes);
    }

    [[nodiscard]] std::optional<double> bisection() const override {
        if (shape_.groups < 2) return std::nullopt;
        const std::uint32_t half = shape_.groups / 2;
        const double pairs = static_cast<double>(half) * (shape_.groups - half);
        return std::min(pairs * shape_.blue * shape_.blue_cable.bandwidth,
                        shape_.node_cable.bandwidth * half_the_hosts());
    }

    bool wire(Wiring& wiring) const override;
    [[nodiscard]] Regularity regularity() const override { return {.groups = &shape_}; }

  private:
    [[nodiscard]] Place place_of(std::uint32_t router) const {
        return {plan_.group_of(router), plan_.chassis_of(router), plan_.place_of(router)};
    }
    [[nodiscard]] Place place_of(HostId host) const { return place_of(plan_.router_of(host)); }

    void limit(const Place& at, std::vector<LinkId>& links) const {
        if (!shape_.limiter) return;
        const std::uint32_t router = plan_.router_at(at.group, at.chassis, at.router);
        links.push_back(limiters_.up(std::uint64_t{host_count()} + router));
    }

    [[nodiscard]] Place blue_end(std::uint32_t group, std::uint32_t other, std::uint32_t copy) const {
        return place_of(plan_.blue_end(group, other, copy).router);
    }
    [[nodiscard]] std::uint64_t green_cable(const Place& at, std::uint32_t router) const {
        const std::uint64_t base =
            (std::uint64_t{at.group} * shape_.chassis + at.chassis) * pair_count(shape_.routers);
        return base + pair_index(std::min(at.router, router), std::max(at.router, router), shape_.routers);
    }
    [[nodiscard]] std::uint64_t black_cable(const Place& at, std::uint32_t chassis) const {
        const std::uint64_t pair =
            pair_index(std::min(at.chassis, chassis), std::max(at.chassis, chassis), shape_.chassis);
        return (std::uint64_t{at.group} * pair_count(shape_.chassis) + pair) * shape_.routers + at.router;
    }
    [[nodiscard]] std::uint64_t blue_cable(std::uint32_t a, std::uint32_t b, std::uint32_t copy) const {
        return pair_index(std::min(a, b), std::max(a, b), shape_.groups) * plan_.copies() + copy;
    }
    void wire_router(std::uint32_t router, Wiring& wiring) const;

    void green(Place& at, std::uint32_t router, std::vector<LinkId>& links) const {
        limit(at, links);
        const std::uint64_t cable = green_cable(at, router);
        links.push_back(at.router < router ? greens_.up(cable) : greens_.down(cable));
        at.router = router;
    }

    void black(Place& at, std::uint32_t chassis, std::vector<LinkId>& links) const {
        limit(at, links);
        const std::uint64_t cable = black_cable(at, chassis);
        links.push_back(at.chassis < chassis ? blacks_.up(cable) : blacks_.down(cable));
        at.chassis = chassis;
    }

    void walk(Place& at, const Place& target, bool forgets_chassis, std::vector<LinkId>& links) const {
        if (at.router != target.router) {
            green(at, target.router, links);
            if (forgets_chassis) at.chassis = 0;
        }
        if (at.chassis != target.chassis) black(at, target.chassis, links);
    }

    // To the router that leads to group `other`, and over the blue cable.
    void cross(Place& at, std::uint32_t other, std::uint32_t copy, std::vector<LinkId>& links) const {
        const std::uint32_t group = at.group;
        walk(at, blue_end(group, other, copy), false, links);
        const std::uint64_t cable = blue_cable(group, other, copy);
        links.push_back(group < other ? blues_.up(cable) : blues_.down(cable));
        limit(at, links);
        at = blue_end(other, group, copy);
    }

    DragonflyShape shape_;
    DragonflyPlan plan_;
    CableSet nodes_;
    CableSet greens_;
    CableSet blacks_;
    CableSet blues_;
    CableSet limiters_; // of the hosts, then of the routers
};

// Each cable at the router of lower number.
void Dragonfly::wire_router(std::uint32_t router, Wiring& wiring) const {
    const Place at = place_of(router);
    const auto join = [&](std::uint32_t other, std::uint32_t port, std::uint32_t other_port,
                          const CableSet& set, std::uint64_t cable) {
        wiring.cables.push_back(
            {switch_node(router), switch_node(other), port, other_port, set.up(cable), set.down(cable)});
    };
    for (std::uint32_t place = at.router + 1; place < shape_.routers; ++place) {
        const std::uint32_t other = plan_.router_at(at.group, at.chassis, place);
        join(other, plan_.green_port(router, place), plan_.green_port(other, at.router), greens_,
             green_cable(at, place));
    }
    for (std::uint32_t chassis = at.chassis + 1; chassis < shape_.chassis; ++chassis) {
        const std::uint32_t other = plan_.router_at(at.group, chassis, at.router);
        join(other, plan_.black_port(router, chassis), plan_.black_port(other, at.chassis), blacks_,
             black_cable(at, chassis));
    }
}

bool Dragonfly::wire(Wiring& wiring) const {
    if (shape_.simgrid_routes && shape_.chassis > 1) return false;
    for (std::uint32_t router = 0; router < plan_.router_count(); ++router) {
        const Place at = place_of(router);
        wiring.switches.push_back({fmt::format("router {}.{}.{}", at.group, at.chassis, at.router), 0});
    }
    for (std::uint32_t host = 0; host < host_count(); ++host) {
        wiring.cables.push_back({NodeId{host}, switch_node(plan_.router_of({host})), 0, plan_.host_port({host}),
                                 nodes_.up(host), nodes_.down(host)});
    }
    for (std::uint32_t router = 0; router < plan_.router_count(); ++router) wire_router(router, wiring);
    for (std::uint32_t a = 0; a < shape_.groups; ++a) {
        for (std::uint32_t b = a + 1; b < shape_.groups; ++b) {
            for (std::uint32_t copy = 0; copy < plan_.copies(); ++copy) {
                const auto near = plan_.blue_end(a, b, copy);
                const auto far = plan_.blue_end(b, a, copy);
                const std::uint64_t cable = blue_cable(a, b, copy);
                wiring.cables.push_back({switch_node(near.router), switch_node(far.router), near.port, far.port,
                                         blues_.up(cable), blues_.down(cable)});
            }
        }
    }
    if (shape_.limiter) wiring.left_out.emplace_back(limiters_left_out);
    return true;
}

// The inverse of pair_index; by search, as only people ask for names.
std::pair<std::uint64_t, std::uint64_t> pair_of(std::uint64_t index, std::uint64_t n) {
    std::uint64_t a = 0;
    while (index >= n - 1 - a) {
        index -= n - 1 - a;
        ++a;
    }
    return {a, a + 1 + index};
}

std::string Dragonfly::name_of(LinkId link) const {
    if (nodes_.holds(link)) {
        return fmt::format("{}{}", host_name({nodes_.cable_of(link)}), nodes_.direction_of(link));
    }
    if (greens_.holds(link)) {
        const std::uint64_t pairs = pair_count(shape_.routers);
        const auto [a, b] = pair_of(greens_.cable_of(link) % pairs, shape_.routers);
        const std::uint64_t chassis = greens_.cable_of(link) / pairs;
        return fmt::format("green {}.{}.{}-{}{}", chassis / shape_.chassis, chassis % shape_.chassis, a, b,
                           greens_.direction_of(link));
    }
    if (blacks_.holds(link)) {
        const std::uint64_t cable = blacks_.cable_of(link);
        const std::uint64_t pairs = pair_count(shape_.chassis);
        const auto [a, b] = pair_of(cable / shape_.routers % pairs, shape_.chassis);
        return fmt::format("black {}.{}-{}.{}{}", cable / shape_.routers / pairs, a, b, cable % shape_.routers,
                           blacks_.direction_of(link));
    }
    if (blues_.holds(link)) {
        const auto [a, b] = pair_of(blues_.cable_of(link) / plan_.copies(), shape_.groups);
        return fmt::format("blue {}-{} cable {}{}", a, b, blues_.cable_of(link) % plan_.copies(),
                           blues_.direction_of(link));
    }
    const std::uint32_t index = limiters_.cable_of(link);
    if (index < host_count()) return host_name({index}) + " limiter";
    return fmt::format("router {} limiter", index - host_count());
}

} // namespace

DragonflyPlan::DragonflyPlan(const DragonflyShape& shape)
    : groups_(shape.groups), chassis_(shape.chassis), routers_(shape.routers), nodes_(shape.nodes),
      copies_(shape.simgrid_cables ? 1 : shape.blue), group_routers_(shape.chassis * shape.routers),
      simgrid_cables_(shape.simgrid_cables) {
    const std::uint64_t ports = std::uint64_t{shape.groups - 1} * copies_;
    blue_ports_ = static_cast<std::uint32_t>((ports + group_routers_ - 1) / group_routers_);
}

DragonflyPlan::End DragonflyPlan::blue_end(std::uint32_t group, std::uint32_t other, std::uint32_t copy) const {
    const std::uint32_t first_port = nodes_ + routers_ - 1 + chassis_ - 1;
    if (simgrid_cables_) return {group * group_routers_ + other, first_port};
    const std::uint32_t number = (other < group ? other : other - 1) * copies_ + copy;
    return {group * group_routers_ + number / blue_ports_, first_port + number % blue_ports_};
}

void check_dragonfly(const DragonflyShape& shape) {
    if (!shape.simgrid_cables) return;
    const std::uint64_t places =
        shape.simgrid_routes ? shape.routers : std::uint64_t{shape.chassis} * shape.routers;
    if (shape.groups > places && shape.groups > 1) {
        throw UsageError(
            fmt::format("router number j of a group leads to group j, so {} groups need as many routers; "
                        "there are {} {}",
                        shape.groups, places, shape.simgrid_routes ? "in a chassis" : "in a group"));
    }
}

std::uint64_t dragonfly_hosts(const DragonflyShape& shape) {
    return bounded_product({shape.groups, shape.chassis, shape.routers, shape.nodes});
}

std::unique_ptr<Topology> make_dragonfly(const DragonflyShape& shape, HostNames names,
                                         std::vector<Link>& links) {
    return std::make_unique<Dragonfly>(shape, std::move(names), links);
}

} // namespace orrery
