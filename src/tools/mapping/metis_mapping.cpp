#include "tools/mapping/metis_mapping.h"

#include "engine/error.h"
#include "tools/mapping/candidates.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <metis.h>
#include <mutex>
#include <numeric>
#include <span>

namespace orrery {

namespace {

// Who talks to whom, both directions together: the neighbours of rank i are at first[i] to first[i + 1].
struct Graph {
    std::vector<std::size_t> first;
    std::vector<std::uint32_t> neighbour;
    std::vector<idx_t> weight;
};

Graph graph_of(const CommunicationPattern& pattern) {
    struct Edge {
        std::uint32_t a;
        std::uint32_t b;
        double bytes;
    };
    std::vector<Edge> edges;
    double total = 0;
    for (const RankMessage& message : pattern.messages) {
        if (message.from == message.to) continue;
        const auto bytes = static_cast<double>(message.bytes) + 1; // a message without bytes counts a little
        edges.push_back({message.from, message.to, bytes});
        edges.push_back({message.to, message.from, bytes});
        total += 2 * bytes;
    }
    std::sort(edges.begin(), edges.end(),
              [](const Edge& x, const Edge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    constexpr double most = 5e8; // METIS adds weights in 32 bits
    const double scale = total > most ? most / total : 1;
    Graph graph;
    graph.first.assign(pattern.ranks + 1, 0);
    for (std::size_t i = 0; i < edges.size();) {
        const Edge& edge = edges[i];
        double bytes = 0;
        for (; i < edges.size() && edges[i].a == edge.a && edges[i].b == edge.b; ++i) bytes += edges[i].bytes;
        graph.neighbour.push_back(edge.b);
        graph.weight.push_back(std::max<idx_t>(1, static_cast<idx_t>(bytes * scale)));
        ++graph.first[edge.a + 1];
    }
    std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
    return graph;
}

// Hosts in an order whose halves, and the halves of these, are boxes.
void add_by_halves(const HostGrid& grid, std::vector<std::uint32_t> low, std::vector<std::uint32_t> size,
                   std::vector<std::uint32_t>& order) {
    const auto longest = std::max_element(size.begin(), size.end());
    if (*longest == 1) {
        std::uint32_t host = 0;
        for (std::size_t i = size.size(); i-- > 0;) host = host * grid.dimensions[i] + low[i];
        order.push_back(host);
        return;
    }
    const auto axis = static_cast<std::size_t>(longest - size.begin());
    const std::uint32_t half = size[axis] / 2;
    const std::uint32_t rest = size[axis] - half;
    size[axis] = half;
    add_by_halves(grid, low, size, order);
    low[axis] += half;
    size[axis] = rest;
    add_by_halves(grid, low, size, order);
}

class Bisection {
  public:
    Bisection(const Graph& graph, const std::vector<HostId>& cores)
        : graph_(graph), cores_(cores), local_(cores.size()), map_(cores.size()) {}

    std::vector<HostId> run() {
        std::vector<std::uint32_t> ranks(cores_.size());
        std::iota(ranks.begin(), ranks.end(), 0U);
        split(ranks, 0);
        return map_;
    }

  private:
    // The ranks get the cores from `first` on.
    void split(const std::vector<std::uint32_t>& ranks, std::size_t first) {
        const std::size_t end = first + ranks.size();
        std::size_t cut = first + ranks.size() / 2;
        // Not within a host if that can be helped.
        std::size_t before = cut;
        while (before > first && cores_[before - 1] == cores_[cut]) --before;
        std::size_t after = cut;
        while (after < end && cores_[after] == cores_[cut]) ++after;
        cut = before > first ? before : after;
        if (cut == end) {
            for (std::size_t i = 0; i < ranks.size(); ++i) map_[ranks[i]] = cores_[first + i];
            return;
        }
        std::vector<idx_t> part = bisect(ranks, cut - first);
        std::array<std::vector<std::uint32_t>, 2> halves;
        for (std::size_t i = 0; i < ranks.size(); ++i)
            halves[static_cast<std::size_t>(part[i])].push_back(ranks[i]);
        split(halves[0], first);
        split(halves[1], cut);
    }

    // Part 0 or 1 for each rank, exactly `wanted` of them 0.
    std::vector<idx_t> bisect(const std::vector<std::uint32_t>& ranks, std::size_t wanted) {
        constexpr std::uint32_t elsewhere = ~std::uint32_t{0};
        std::fill(local_.begin(), local_.end(), elsewhere);
        for (std::uint32_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = i;
        std::vector<idx_t> starts{0};
        std::vector<idx_t> neighbours;
        std::vector<idx_t> weights;
        for (const std::uint32_t rank : ranks) {
            for (std::size_t k = graph_.first[rank]; k < graph_.first[rank + 1]; ++k) {
                const std::uint32_t to = local_[graph_.neighbour[k]];
                if (to == elsewhere) continue;
                neighbours.push_back(static_cast<idx_t>(to));
                weights.push_back(graph_.weight[k]);
            }
            starts.push_back(static_cast<idx_t>(neighbours.size()));
        }
        std::vector<idx_t> part(ranks.size(), 1);
        if (neighbours.empty()) {
            std::fill_n(part.begin(), wanted, 0);
            return part;
        }
        partition(starts, neighbours, weights, part, static_cast<real_t>(wanted));
        balance(starts, neighbours, weights, part, wanted);
        return part;
    }

    static void partition(std::vector<idx_t>& starts, std::vector<idx_t>& neighbours,
                          std::vector<idx_t>& weights, std::vector<idx_t>& part, real_t wanted) {
        auto ranks = static_cast<idx_t>(part.size());
        idx_t constraints = 1;
        idx_t parts = 2;
        const real_t share = wanted / static_cast<real_t>(ranks);
        std::array<real_t, 2> shares{share, 1 - share};
        std::array<idx_t, METIS_NOPTIONS> options{};
        METIS_SetDefaultOptions(options.data());
        options[METIS_OPTION_SEED] = 1;
        options[METIS_OPTION_UFACTOR] = 1; // a thousandth out of balance
        idx_t cut = 0;
        static std::mutex one_at_a_time; // its random numbers are those of the C library
        const std::lock_guard lock(one_at_a_time);
        const int outcome = METIS_PartGraphRecursive(&ranks, &constraints, starts.data(), neighbours.data(),
                                                     nullptr, nullptr, weights.data(), &parts, shares.data(),
                                                     nullptr, options.data(), &cut, part.data());
        if (outcome != METIS_OK) throw InputError(fmt::format("METIS failed (code {})", outcome));
    }

    // Moves those that cost least to the smaller part until the sizes are exact.
    static void balance(std::span<const idx_t> starts, std::span<const idx_t> neighbours,
                        std::span<const idx_t> weights, std::vector<idx_t>& part, std::size_t wanted) {
        const auto zeros = static_cast<std::size_t>(std::count(part.begin(), part.end(), 0));
        if (zeros == wanted) return;
        const idx_t crowded = zeros > wanted ? 0 : 1;
        const std::size_t surplus = zeros > wanted ? zeros - wanted : wanted - zeros;
        struct Loss {
            std::int64_t bytes;
            std::size_t rank;
        };
        std::vector<Loss> losses;
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part[i] != crowded) continue;
            std::int64_t loss = 0;
            for (auto k = static_cast<std::size_t>(starts[i]); k < static_cast<std::size_t>(starts[i + 1]); ++k)
                loss += part[static_cast<std::size_t>(neighbours[k])] == crowded ? weights[k] : -weights[k];
            losses.push_back({loss, i});
        }
        std::sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) {
            return a.bytes != b.bytes ? a.bytes < b.bytes : a.rank < b.rank;
        });
        for (std::size_t i = 0; i < surplus; ++i) part[losses[i].rank] = 1 - crowded;
    }

    const Graph& graph_;
    const std::vector<HostId>& cores_; // as many as ranks, those of a host together
    std::vector<std::uint32_t> local_; // by rank: its number in the part that is being cut
    std::vector<HostId> map_;
};

} // namespace

std::vector<HostId> map_metis(const Platform& platform, const std::vector<HostSlots>& hosts,
                              const CommunicationPattern& pattern) {
    const HostGrid grid = host_grid(platform);
    std::vector<std::uint32_t> order;
    add_by_halves(grid, std::vector<std::uint32_t>(grid.dimensions.size(), 0), grid.dimensions, order);
    // How many ranks each host gets, whatever the order in which it is named.
    std::vector<std::uint32_t> taken(platform.host_count(), 0);
    for (const HostId host : map_block(hosts, pattern.ranks)) ++taken[host.index()];
    std::vector<HostId> cores;
    for (const std::uint32_t host : order) cores.insert(cores.end(), taken[host], HostId{host});
    const Graph graph = graph_of(pattern);
    return Bisection(graph, cores).run();
}

} // namespace orrery
