#include "simulation/changed_routes.h"

#include <algorithm>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint64_t most_pairs = 300'000;    // a tenth of a second
constexpr std::uint64_t most_paths_of_pair = 64; // of a routing that chooses
constexpr std::uint32_t link_not_met = ~0U;

using RoutePath = std::vector<Hop>;

class PathList final : public PathSink {
  public:
    void path(std::span<const Hop> hops) override { list.emplace_back(hops.begin(), hops.end()); }
    std::vector<RoutePath> list;
};

// One rail, now and before.
class RailComparison {
  public:
    RailComparison(const SimulationNetwork::Rail& now, const SimulationNetwork::Rail& before)
        : now_(now), before_(before), there_(links_of(now), link_not_met),
          back_(links_of(before), link_not_met) {}

    // Whether messages from one host to another may take the same paths as before.
    bool same(HostId from, HostId to) {
        if (!paths_of(now_, from, to, paths_now_) || !paths_of(before_, from, to, paths_before_)) {
            complete_ = false;
            return false;
        }
        if (paths_now_.list.size() != paths_before_.list.size()) return false;
        for (std::size_t i = 0; i < paths_now_.list.size(); ++i) {
            if (!same(paths_now_.list[i], paths_before_.list[i])) return false;
        }
        return true;
    }
    void list(HostId from, HostId to) { complete_ = paths_of(now_, from, to, paths_now_) && complete_; }
    // Of the pair asked about last: every path has a link that nothing passed.
    [[nodiscard]] bool unused(const std::vector<bool>& crossed) const {
        return std::all_of(paths_now_.list.begin(), paths_now_.list.end(), [&](const RoutePath& path) {
            return std::any_of(path.begin(), path.end(), [&](const Hop& hop) {
                return hop.channel.index() < crossed.size() && !crossed[hop.channel.index()];
            });
        });
    }
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] bool packets() const { return now_.routing != nullptr; }

  private:
    static std::size_t links_of(const SimulationNetwork::Rail& rail) {
        const std::size_t links = rail.platform->link_count();
        return rail.fabric == nullptr ? links : std::max<std::size_t>(links, rail.fabric->channel_count());
    }
    bool paths_of(const SimulationNetwork::Rail& rail, HostId from, HostId to, PathList& into) {
        into.list.clear();
        if (rail.routing != nullptr && from != to)
            return rail.routing->paths(from, to, most_paths_of_pair, into);
        route_.clear();
        rail.platform->route(from, to, route_);
        RoutePath& path = into.list.emplace_back();
        for (const LinkId link : route_) path.push_back({link, 0});
        return true;
    }
    static bool same_link(const SimulationNetwork::Rail& now, LinkId a, const SimulationNetwork::Rail& before,
                          LinkId b) {
        if (now.fabric != nullptr && now.fabric->is_channel(a) && before.fabric->is_channel(b)) {
            const Channel& one = now.fabric->channel(a);
            const Channel& other = before.fabric->channel(b);
            return one.bandwidth == other.bandwidth && one.latency == other.latency;
        }
        const bool links = a.index() < now.platform->link_count() && b.index() < before.platform->link_count();
        return links && now.platform->link(a) == before.platform->link(b);
    }
    // Also one to one: two routes that met on a link still do, and no others.
    bool same(const RoutePath& now, const RoutePath& before) {
        if (now.size() != before.size()) return false;
        for (std::size_t i = 0; i < now.size(); ++i) {
            const LinkId a = now[i].channel;
            const LinkId b = before[i].channel;
            if (now[i].lane != before[i].lane || !same_link(now_, a, before_, b)) return false;
            if (there_[a.index()] != link_not_met ? there_[a.index()] != b.value
                                                  : back_[b.index()] != link_not_met)
                return false;
            there_[a.index()] = b.value;
            back_[b.index()] = a.value;
        }
        return true;
    }

    SimulationNetwork::Rail now_;
    SimulationNetwork::Rail before_;
    std::vector<std::uint32_t> there_; // by link now: the one that it was
    std::vector<std::uint32_t> back_;
    std::vector<LinkId> route_;
    PathList paths_now_;
    PathList paths_before_;
    bool complete_ = true;
};

} // namespace

RouteChange changed_routes(const SimulationNetwork& now, const SimulationNetwork& before,
                           std::span<const HostId> hosts, std::span<const std::vector<bool>> crossed) {
    if (now.rails() != before.rails()) return RouteChange::crossed;
    std::vector<HostId> used(hosts.begin(), hosts.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<RailComparison> rails;
    for (std::uint32_t i = 0; i < now.rails(); ++i) {
        if (!used.empty() && used.back().value >= before.rail(i).platform->host_count())
            return RouteChange::crossed;
        rails.emplace_back(now.rail(i), before.rail(i));
    }
    RouteChange answer = RouteChange::none;
    std::uint64_t pairs = 0;
    for (const HostId from : used) {
        for (const HostId to : used) {
            if (++pairs > most_pairs) return RouteChange::unknown;
            for (std::size_t i = 0; i < rails.size(); ++i) {
                RailComparison& rail = rails[i];
                const bool same = rail.same(from, to);
                if (!rail.complete()) return RouteChange::unknown;
                if (same) continue;
                // Nothing is known of messages within a host in a network of packets.
                if (crossed.size() != rails.size() || (from == to && rail.packets()))
                    return RouteChange::crossed;
                if (!rail.unused(crossed[i])) return RouteChange::crossed;
                rail.list(to, from); // messages over it may be acknowledged over the one that differs
                if (!rail.unused(crossed[i])) return RouteChange::crossed;
                answer = RouteChange::uncrossed;
            }
        }
    }
    return answer;
}

} // namespace orrery
