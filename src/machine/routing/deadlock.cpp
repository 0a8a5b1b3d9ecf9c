#include "machine/routing/deadlock.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

void DependencyGraph::path(std::span<const Hop> hops) {
    for (std::size_t i = 1; i < hops.size(); ++i) {
        std::vector<std::uint32_t>& next = next_[vertex(hops[i - 1])];
        const std::uint32_t to = vertex(hops[i]);
        if (std::find(next.begin(), next.end(), to) != next.end()) continue; // as many as ports and lanes
        next.push_back(to);
        ++count_;
    }
}

std::vector<Hop> DependencyGraph::cycle() const {
    // Depth first; a vertex that is met while it is still open lies on a cycle.
    enum class State : std::uint8_t { unseen, open, done };
    std::vector<State> state(next_.size(), State::unseen);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack; // vertex, its next edge
    for (std::uint32_t start = 0; start < next_.size(); ++start) {
        if (state[start] != State::unseen) continue;
        stack.emplace_back(start, 0);
        state[start] = State::open;
        while (!stack.empty()) {
            auto& [at, edge] = stack.back();
            if (edge == next_[at].size()) {
                state[at] = State::done;
                stack.pop_back();
                continue;
            }
            const std::uint32_t to = next_[at][edge++];
            if (state[to] == State::open) {
                std::vector<Hop> hops;
                for (const std::uint32_t each : shortest_cycle(to))
                    hops.push_back({LinkId{each / lanes_}, each % lanes_});
                return hops;
            }
            if (state[to] == State::unseen) {
                state[to] = State::open;
                stack.emplace_back(to, 0);
            }
        }
    }
    return {};
}

// Through a vertex that lies on one, breadth first.
std::vector<std::uint32_t> DependencyGraph::shortest_cycle(std::uint32_t start) const {
    std::vector<std::uint32_t> before(next_.size(), ~0U);
    std::vector<std::uint32_t> queue{start};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const std::uint32_t to : next_[queue[i]]) {
            if (before[to] != ~0U) continue;
            before[to] = queue[i];
            if (to == start) break;
            queue.push_back(to);
        }
        if (before[start] != ~0U) break;
    }
    std::vector<std::uint32_t> cycle{start};
    for (std::uint32_t at = before[start]; at != start; at = before[at]) cycle.push_back(at);
    std::reverse(cycle.begin() + 1, cycle.end());
    return cycle;
}

namespace {

// Looks at each path before it goes into the graph.
class Inspector final : public PathSink {
  public:
    Inspector(const Fabric& fabric, std::uint32_t lanes, PathSink& sink)
        : fabric_(fabric), lanes_(lanes), sink_(sink) {}

    void path(std::span<const Hop> hops) override {
        NodeId at{from.value};
        for (const Hop& hop : hops) {
            const bool fits = hop.channel.value < fabric_.channel_count() && hop.lane < lanes_ &&
                              fabric_.is_channel(hop.channel) && fabric_.channel(hop.channel).from == at;
            if (!fits) refuse(fmt::format("it breaks off at {}", fabric_.name(at)));
            at = fabric_.channel(hop.channel).to;
        }
        if (at != NodeId{to.value}) refuse(fmt::format("it ends at {}", fabric_.name(at)));
        const auto length = static_cast<std::uint32_t>(hops.size());
        fewest = count == 0 ? length : std::min(fewest, length);
        most = std::max(most, length);
        total += length;
        ++count;
        sink_.path(hops);
    }

    HostId from;
    HostId to;
    std::uint64_t count = 0;
    std::uint64_t total = 0;
    std::uint32_t fewest = 0;
    std::uint32_t most = 0;

  private:
    [[noreturn]] void refuse(const std::string& reason) const {
        throw InputError(fmt::format("the route from {} to {} is not valid: {}",
                                     fabric_.name(NodeId{from.value}), fabric_.name(NodeId{to.value}), reason));
    }

    const Fabric& fabric_;
    std::uint32_t lanes_;
    PathSink& sink_;
};

} // namespace

DeadlockCheck check_deadlock(const Fabric& fabric, const Routing& routing, std::uint64_t most_paths) {
    DependencyGraph graph(fabric.channel_count(), routing.lanes());
    Inspector inspector(fabric, routing.lanes(), graph);
    const std::uint64_t hosts = fabric.host_count();
    const std::uint64_t pairs = hosts * (hosts - 1);
    const std::uint64_t share = std::max<std::uint64_t>(64, most_paths / std::max<std::uint64_t>(1, pairs));
    DeadlockCheck check;
    check.all = true;
    std::uint64_t looked = 0;
    // Each host to the next, then each to one further on, ..., so that whatever is looked at touches all hosts.
    for (std::uint64_t round = 1; round < hosts && inspector.count < most_paths; ++round) {
        constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15ULL;
        const std::uint64_t by = pairs <= most_paths ? round : 1 + (round * golden >> 20U) % (hosts - 1);
        for (std::uint64_t from = 0; from < hosts && inspector.count < most_paths; ++from) {
            inspector.from = {static_cast<std::uint32_t>(from)};
            inspector.to = {static_cast<std::uint32_t>((from + by) % hosts)};
            check.all = routing.paths(inspector.from, inspector.to, share, inspector) && check.all;
            ++looked;
        }
    }
    check.all = check.all && looked == pairs;
    check.paths = inspector.count;
    check.fewest_hops = inspector.fewest;
    check.most_hops = inspector.most;
    check.mean_hops =
        static_cast<double>(inspector.total) / static_cast<double>(std::max<std::uint64_t>(1, inspector.count));
    check.dependencies = graph.dependencies();
    check.cycle = graph.cycle();
    return check;
}

std::string cycle_words(const Fabric& fabric, std::span<const Hop> cycle, std::uint32_t lanes) {
    std::string out;
    for (std::size_t i = 0; i <= cycle.size() && !cycle.empty(); ++i) {
        const Hop& hop = cycle[i % cycle.size()];
        if (i > 0) out += " -> ";
        out += fabric.name(hop.channel);
        if (lanes > 1) out += fmt::format(" lane {}", hop.lane);
    }
    return out;
}

} // namespace orrery
