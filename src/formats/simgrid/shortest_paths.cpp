// Shortest paths within a zone. The cost of a hop is its number of links. Which of several equally short paths
// is taken shows in the result, so the order of the comparisons is SimGrid's.
#include "formats/simgrid/zones.h"

#include <limits>
#include <queue>

namespace orrery::simgrid {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};
constexpr std::uint64_t unreachable = std::numeric_limits<std::uint64_t>::max();

} // namespace

std::vector<std::uint32_t> floyd_table(const Zone& zone) {
    const std::size_t n = zone.members.size();
    std::vector<std::uint32_t> before(n * n, nobody);
    std::vector<std::uint64_t> cost(n * n, unreachable);
    for (const auto& [ends, hop] : zone.hops) {
        before[ends.first * n + ends.second] = ends.first;
        cost[ends.first * n + ends.second] = hop.links.size();
    }
    if (!zone.has_zones) {
        for (std::size_t i = 0; i < n; ++i) { // the loopback
            if (before[i * n + i] != nobody) continue;
            before[i * n + i] = static_cast<std::uint32_t>(i);
            cost[i * n + i] = 1;
        }
    }
    for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t a = 0; a < n; ++a) {
            const std::uint64_t first = cost[a * n + c];
            if (first == unreachable) continue;
            for (std::size_t b = 0; b < n; ++b) {
                const std::uint64_t second = cost[c * n + b];
                if (second == unreachable || first + second >= cost[a * n + b]) continue;
                cost[a * n + b] = first + second;
                before[a * n + b] = before[c * n + b];
            }
        }
    }
    return before;
}

std::vector<std::uint32_t> dijkstra_row(const Zone& zone, std::uint32_t from) {
    const std::size_t n = zone.members.size();
    std::vector<std::uint32_t> number(n, nobody); // in the order in which routes name the points
    for (std::uint32_t i = 0; i < zone.order.size(); ++i) number[zone.order[i]] = i;
    std::vector<std::uint64_t> cost(n, unreachable);
    std::vector<std::uint32_t> before(n, nobody);
    using Entry = std::pair<std::uint64_t, std::uint32_t>; // cost, number
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    cost[from] = 0;
    if (number[from] != nobody) queue.emplace(0, number[from]);
    while (!queue.empty()) {
        const auto [reached, at_number] = queue.top();
        queue.pop();
        const std::uint32_t at = zone.order[at_number];
        if (reached != cost[at]) continue;
        for (auto hop = zone.hops.lower_bound({at, 0}); hop != zone.hops.end() && hop->first.first == at;
             ++hop) {
            const std::uint32_t next = hop->first.second;
            const std::uint64_t there = reached + hop->second.links.size();
            if (there >= cost[next]) continue;
            cost[next] = there;
            before[next] = at;
            queue.emplace(there, number[next]);
        }
    }
    return before;
}

} // namespace orrery::simgrid
