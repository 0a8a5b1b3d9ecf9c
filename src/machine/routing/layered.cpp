// Given paths made safe: each pair of hosts gets a lane, so that the paths on no lane form a cycle (layered
// shortest paths, LASH; Skeie, Lysne, Theiss 2002).
//
// Pairs are taken in order; one joins the first lane whose dependencies stay without a cycle. These are kept in
// topological order, which is mended where a new one goes against it (Pearce and Kelly 2006).
#include "engine/error.h"
#include "machine/routing/deadlock.h"
#include "machine/routing/families.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint32_t most_hosts = 4096; // a byte for each pair
constexpr std::uint32_t most_lanes = 16;

class Layer {
  public:
    explicit Layer(std::uint32_t channels)
        : next_(channels), before_(channels), place_(channels), seen_(channels) {
        std::iota(place_.begin(), place_.end(), 0U);
    }

    // All dependencies of a path, or none if that would make a cycle.
    bool add(std::span<const LinkId> path) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
        for (std::size_t i = 1; i < path.size(); ++i) {
            const std::uint32_t from = path[i - 1].value;
            const std::uint32_t to = path[i].value;
            if (std::find(next_[from].begin(), next_[from].end(), to) != next_[from].end()) continue;
            if (!mend(from, to)) {
                for (auto each = added.rbegin(); each != added.rend(); ++each) {
                    next_[each->first].pop_back();
                    before_[each->second].pop_back();
                }
                return false;
            }
            next_[from].push_back(to);
            before_[to].push_back(from);
            added.emplace_back(from, to);
        }
        return true;
    }

  private:
    using Lists = std::vector<std::vector<std::uint32_t>>;

    // Makes `from` come before `to`; false if there is a path back from `to` to `from`.
    bool mend(std::uint32_t from, std::uint32_t to) {
        const std::uint32_t low = place_[to];
        const std::uint32_t high = place_[from];
        if (high < low) return true;
        std::vector<std::uint32_t> behind = reach(next_, to, low, high);
        const bool cycle = seen_[from];
        for (const std::uint32_t each : behind) seen_[each] = false;
        if (cycle || from == to) return false;
        std::vector<std::uint32_t> ahead = reach(before_, from, low, high);
        for (const std::uint32_t each : ahead) seen_[each] = false;
        // The places of both are given out anew: first what leads to `from`, then what `to` leads to.
        const auto by_place = [&](std::uint32_t a, std::uint32_t b) { return place_[a] < place_[b]; };
        std::sort(ahead.begin(), ahead.end(), by_place);
        std::sort(behind.begin(), behind.end(), by_place);
        ahead.insert(ahead.end(), behind.begin(), behind.end());
        std::vector<std::uint32_t> places;
        for (const std::uint32_t each : ahead) places.push_back(place_[each]);
        std::sort(places.begin(), places.end());
        for (std::size_t i = 0; i < ahead.size(); ++i) place_[ahead[i]] = places[i];
        return true;
    }

    // What can be reached from `start` at places from `low` to `high`; they stay marked as seen.
    std::vector<std::uint32_t> reach(const Lists& lists, std::uint32_t start, std::uint32_t low,
                                     std::uint32_t high) {
        std::vector<std::uint32_t> found{start};
        seen_[start] = true;
        for (std::size_t i = 0; i < found.size(); ++i) {
            for (const std::uint32_t to : lists[found[i]]) {
                if (seen_[to] || place_[to] < low || place_[to] > high) continue;
                seen_[to] = true;
                found.push_back(to);
            }
        }
        return found;
    }

    Lists next_;
    Lists before_;
    std::vector<std::uint32_t> place_; // in topological order
    std::vector<bool> seen_;
};

class Layered final : public Routing {
  public:
    Layered(const Fabric& fabric, std::string words)
        : fabric_(fabric), hosts_(fabric.host_count()), words_(std::move(words)) {
        if (hosts_ > most_hosts)
            throw InputError(fmt::format("layered routing is for at most {} hosts", most_hosts));
        lane_.assign(std::size_t{hosts_} * hosts_, 0);
        std::vector<Layer> layers;
        std::vector<LinkId> channels;
        for (std::uint32_t from = 0; from < hosts_; ++from) {
            for (std::uint32_t to = 0; to < hosts_; ++to) {
                if (from == to) continue;
                channels.clear();
                fabric.route({from}, {to}, channels);
                std::uint32_t lane = 0;
                for (;; ++lane) {
                    if (lane == layers.size()) layers.emplace_back(fabric.channel_count());
                    if (layers[lane].add(channels)) break;
                }
                if (lane >= most_lanes)
                    throw InputError(fmt::format("the routes need more than {} lanes", most_lanes));
                lane_[std::size_t{from} * hosts_ + to] = static_cast<std::uint8_t>(lane);
            }
        }
        lanes_ = std::max(1U, static_cast<std::uint32_t>(layers.size()));
    }

    [[nodiscard]] std::uint32_t lanes() const override { return lanes_; }
    void path(HostId from, HostId to, std::uint64_t /*draw*/, const LoadView& /*load*/,
              std::vector<Hop>& hops) const override {
        thread_local std::vector<LinkId> channels;
        channels.clear();
        fabric_.route(from, to, channels);
        const std::uint32_t lane = lane_[from.index() * hosts_ + to.index()];
        for (const LinkId channel : channels) hops.push_back({channel, lane});
    }
    [[nodiscard]] std::string words() const override {
        return lanes_ == 1 ? words_ : fmt::format("{} in layers", words_);
    }

  private:
    const Fabric& fabric_;
    std::uint32_t hosts_;
    std::uint32_t lanes_ = 1;
    std::vector<std::uint8_t> lane_; // of each pair
    std::string words_;
};

} // namespace

std::unique_ptr<Routing> make_layered(const Fabric& fabric, std::string words) {
    return std::make_unique<Layered>(fabric, std::move(words));
}

} // namespace orrery
