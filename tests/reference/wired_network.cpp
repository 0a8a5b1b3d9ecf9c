#include "reference/wired_network.h"

#include "engine/random.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <stdexcept>

namespace orrery::reference {

namespace {

class WiredTopology final : public Topology {
  public:
    explicit WiredTopology(WiredPlan plan) : plan_(std::move(plan)) {}

    void route(HostId /*from*/, HostId /*to*/, std::vector<LinkId>& /*links*/) const override {
        throw std::logic_error("this wiring has no routes of its own");
    }
    [[nodiscard]] std::string host_name(HostId host) const override {
        return fmt::format("host{}", host.value);
    }
    [[nodiscard]] std::string link_name(LinkId link) const override {
        const WiredCable& cable = plan_.cables[link.index() / 2];
        return link.index() % 2 == 0 ? fmt::format("{}>{}", cable.a, cable.b)
                                     : fmt::format("{}>{}", cable.b, cable.a);
    }
    [[nodiscard]] std::optional<HostId> find_host(std::string_view /*name*/) const override { return {}; }
    bool wire(Wiring& wiring) const override {
        for (std::uint32_t i = 0; i < plan_.switches; ++i)
            wiring.switches.push_back({fmt::format("s{}", i), 0});
        std::vector<std::uint32_t> ports(plan_.hosts + plan_.switches, 0);
        for (std::uint32_t i = 0; i < plan_.cables.size(); ++i) {
            const WiredCable& cable = plan_.cables[i];
            const std::uint32_t port_a = ports[cable.a]++;
            const std::uint32_t port_b = ports[cable.b]++;
            wiring.cables.push_back(
                {NodeId{cable.a}, NodeId{cable.b}, port_a, port_b, LinkId{2 * i}, LinkId{2 * i + 1}});
        }
        for (const std::uint32_t node : plan_.router_of_host) wiring.router_of_host.push_back(NodeId{node});
        return true;
    }

  private:
    WiredPlan plan_;
};

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

// How many channels away from a host each node is; paths lead through switches only.
std::vector<std::uint32_t> distances_to(const Fabric& fabric, HostId to) {
    std::vector<std::uint32_t> distance(fabric.node_count(), unreached);
    std::vector<NodeId> reached{NodeId{to.value}};
    distance[to.index()] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const NodeId node = reached[i];
        if (i > 0 && fabric.is_host(node)) continue;
        for (const LinkId link : fabric.out(node)) {
            if (link == no_link) continue;
            const NodeId other = fabric.channel(link).to;
            if (distance[other.index()] != unreached) continue;
            distance[other.index()] = distance[node.index()] + 1;
            reached.push_back(other);
        }
    }
    return distance;
}

// Channels that lead from a node one step nearer to a host.
std::vector<LinkId> channels_closer(const Fabric& fabric, const std::vector<std::uint32_t>& distance, NodeId at,
                                    HostId to) {
    std::vector<LinkId> closer;
    for (const LinkId link : fabric.out(at)) {
        if (link == no_link) continue;
        const NodeId next = fabric.channel(link).to;
        const bool host_between = fabric.is_host(next) && next.value != to.value;
        if (!host_between && distance[next.index()] < distance[at.index()]) closer.push_back(link);
    }
    if (closer.empty()) throw std::logic_error("the wiring is not connected");
    return closer;
}

} // namespace

std::unique_ptr<Platform> make_platform(const WiredPlan& plan) {
    std::vector<Link> links;
    for (const WiredCable& cable : plan.cables) links.insert(links.end(), 2, {cable.bandwidth, cable.latency});
    return std::make_unique<Platform>(std::vector<Host>(plan.hosts), std::move(links),
                                      std::make_unique<WiredTopology>(plan));
}

void TableRouting::path(HostId from, HostId to, std::uint64_t /*draw*/, const LoadView& /*load*/,
                        std::vector<Hop>& hops) const {
    const std::vector<Hop>& path = paths_[from.index() * hosts_ + to.index()];
    hops.insert(hops.end(), path.begin(), path.end());
}

LeastLoadedRouting::LeastLoadedRouting(const Fabric& fabric, Decides decides, std::uint32_t lanes)
    : fabric_(fabric), decides_(decides), lanes_(lanes) {
    for (std::uint32_t to = 0; to < fabric.host_count(); ++to)
        distances_.push_back(distances_to(fabric, HostId{to}));
}

void LeastLoadedRouting::path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
                              std::vector<Hop>& hops) const {
    Hop came{no_link, 0};
    for (NodeId at{from.value}; at.value != to.value; at = fabric_.channel(came.channel).to) {
        came = next(at, came, from, to, draw, load);
        hops.push_back(came);
    }
}

Hop LeastLoadedRouting::next(NodeId at, Hop came, HostId /*from*/, HostId to, std::uint64_t draw,
                             const LoadView& load) const {
    const std::vector<LinkId> closer = channels_closer(fabric_, distances_[to.index()], at, to);
    const RandomStream random(draw, at.value);
    const std::size_t first = random.below(0, closer.size());
    LinkId best = closer[first];
    for (std::size_t i = 1; i < closer.size(); ++i) {
        const LinkId other = closer[(first + i) % closer.size()];
        if (load.queued(other) < load.queued(best)) best = other;
    }
    const std::uint32_t up = random.below(1, 3) == 0 ? 1 : 0;
    return {best, std::min(came.lane + up, lanes_ - 1)};
}

TableRouting random_shortest_paths(const Fabric& fabric, std::uint32_t lanes, std::uint64_t seed) {
    TableRouting routing(fabric.host_count(), lanes);
    const RandomStream random(seed, 77);
    std::uint64_t draws = 0;
    for (std::uint32_t to = 0; to < fabric.host_count(); ++to) {
        const std::vector<std::uint32_t> distance = distances_to(fabric, HostId{to});
        for (std::uint32_t from = 0; from < fabric.host_count(); ++from) {
            if (from == to) continue;
            std::vector<Hop>& path = routing.path(HostId{from}, HostId{to});
            std::uint32_t lane = 0;
            for (NodeId at{from}; at.value != to;) {
                const std::vector<LinkId> closer = channels_closer(fabric, distance, at, HostId{to});
                const LinkId taken = closer[random.below(draws++, closer.size())];
                if (lane + 1 < lanes && random.below(draws++, 3) == 0) ++lane;
                path.push_back({taken, lane});
                at = fabric.channel(taken).to;
            }
        }
    }
    return routing;
}

} // namespace orrery::reference
