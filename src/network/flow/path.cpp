#include "network/flow/path.h"

#include "engine/too_long.h"

#include <algorithm>
#include <limits>

namespace orrery {

namespace {

constexpr HostId nobody{~std::uint32_t{0}};
constexpr std::uint64_t no_pair = ~std::uint64_t{0};

// One more use of a link. On a fat pipe only the largest counts: it bounds, it is not shared.
void use(boost::container::small_vector_base<LinkShare>& links, LinkId link, Sharing sharing,
         double coefficient) {
    for (LinkShare& each : links) {
        if (each.link != link) continue;
        each.coefficient = sharing == Sharing::shared ? each.coefficient + coefficient
                                                      : std::max(each.coefficient, coefficient);
        return;
    }
    links.push_back({link, coefficient});
}

} // namespace

PathCache::PathCache(const Platform& platform, const FlowParameters& parameters)
    : platform_(platform), parameters_(parameters), sets_(std::size_t{1} << set_bits),
      slots_(ways * sets_.size()) {
    for (Set& set : sets_) set.pair.fill(no_pair);
    for (Path& path : slots_) path.from = nobody;
}

PathCache::Slot PathCache::find(HostId from, HostId to) {
    constexpr std::uint32_t golden = 0x9E37'79B9; // spreads neighbours over the sets
    const std::uint64_t pair = std::uint64_t{from.value} << 32U | to.value;
    const Slot number = ((from.value * golden) ^ (to.value * golden << 7U)) >> (32 - set_bits);
    Set& set = sets_[number];
    for (Slot way = 0; way < ways; ++way)
        if (set.pair[way] == pair) return number * ways + way;
    const Slot way = victim_++ % ways;
    Path& path = slots_[number * ways + way];
    set.pair[way] = no_pair; // in case there is no route
    fill(path, from, to);
    set.pair[way] = pair;
    set.latency[way] = path.latency;
    return number * ways + way;
}

void PathCache::fill(Path& path, HostId from, HostId to) {
    path.from = nobody; // in case there is no route
    route_.clear();
    platform_.route(from, to, route_);
    path.links.clear();
    path.latency = Time::zero();
    path.bound = std::numeric_limits<double>::infinity();
    double seconds_per_byte = 0;
    for (const LinkId id : route_) {
        const Link& link = platform_.link(id);
        add_latency(path.latency, link.latency);
        path.bound = std::min(path.bound, link.bandwidth);
        seconds_per_byte += 1 / link.bandwidth;
        use(path.links, id, link.sharing, 1);
    }
    path.forward = static_cast<std::uint32_t>(path.links.size());
    const double latency = path.latency.seconds();
    if (parameters_.tcp_gamma > 0 && latency > 0) {
        path.bound = std::min(path.bound, parameters_.tcp_gamma / (2 * latency));
    }
    path.weight = parameters_.equal_weights ? 1 : latency + parameters_.weight_S * seconds_per_byte;
    if (path.weight == 0) path.weight = 1; // as SimGrid does; there is nothing to compare with
    if (parameters_.cross_traffic > 0) {
        route_.clear();
        platform_.route(to, from, route_);
        for (const LinkId id : route_) {
            use(path.links, id, platform_.link(id).sharing, parameters_.cross_traffic);
        }
    }
    path.from = from;
    path.to = to;
}

} // namespace orrery
