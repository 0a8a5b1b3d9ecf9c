#include "machine/bisection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace orrery {

namespace {

// What is cut: a host without a cable of its own is one with its router.
class CutGraph {
  public:
    explicit CutGraph(const Fabric& fabric)
        : vertex_of_(fabric.node_count()), neighbours_(fabric.node_count()) {
        std::iota(vertex_of_.begin(), vertex_of_.end(), 0U);
        for (std::uint32_t host = 0; host < fabric.host_count(); ++host) {
            if (const LinkId injection = fabric.injection_channel({host}); injection != no_link)
                vertex_of_[host] = fabric.channel(injection).to.value;
        }
        hosts_.assign(fabric.node_count(), 0);
        for (std::uint32_t host = 0; host < fabric.host_count(); ++host) ++hosts_[vertex_of_[host]];
        for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
            const Channel& channel = fabric.channel({i});
            if (!fabric.is_channel({i}) || channel.reverse.value < i) continue; // each cable once
            const std::uint32_t a = vertex_of_[channel.from.index()];
            const std::uint32_t b = vertex_of_[channel.to.index()];
            if (a == b) continue;
            neighbours_[a].emplace_back(b, channel.bandwidth);
            neighbours_[b].emplace_back(a, channel.bandwidth);
        }
        join_parallel_cables();
    }

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(neighbours_.size()); }
    [[nodiscard]] std::uint32_t vertex_of(std::uint32_t node) const { return vertex_of_[node]; }
    [[nodiscard]] std::uint32_t hosts(std::uint32_t vertex) const { return hosts_[vertex]; }
    [[nodiscard]] const std::vector<std::pair<std::uint32_t, double>>& neighbours(std::uint32_t vertex) const {
        return neighbours_[vertex];
    }

  private:
    // They are cut together; there may be thousands of them between two routers.
    void join_parallel_cables() {
        std::vector<std::size_t> place(count()); // 1 + that of each neighbour in the list of the present vertex
        for (auto& list : neighbours_) {
            std::size_t kept = 0;
            for (const auto& [to, weight] : list) {
                if (place[to] != 0) {
                    list[place[to] - 1].second += weight;
                } else {
                    list[kept] = {to, weight};
                    place[to] = ++kept;
                }
            }
            list.resize(kept);
            for (const auto& [to, weight] : list) place[to] = 0;
        }
    }

    std::vector<std::uint32_t> vertex_of_; // by node
    std::vector<std::uint32_t> hosts_;     // by vertex
    std::vector<std::vector<std::pair<std::uint32_t, double>>> neighbours_;
};

// Two sides, and moves between them.
class Cut {
  public:
    // The vertices of `order` up to half of the hosts are on the first side.
    Cut(const CutGraph& graph, std::span<const std::uint32_t> order)
        : graph_(graph), side_(graph.count(), true) {
        std::uint64_t all = 0;
        for (std::uint32_t i = 0; i < graph.count(); ++i) {
            all += graph.hosts(i);
            largest_ = std::max(largest_, graph.hosts(i));
        }
        total_ = static_cast<std::int64_t>(all);
        balance_ = -total_;
        for (const std::uint32_t each : order) {
            if (balance_ + std::int64_t{graph.hosts(each)} > 0) continue;
            side_[each] = false;
            balance_ += 2 * std::int64_t{graph.hosts(each)};
        }
        for (std::uint32_t i = 0; i < graph.count(); ++i) {
            for (const auto& [to, weight] : graph.neighbours(i)) {
                if (side_[i] && !side_[to]) width_ += weight;
            }
        }
    }

    // One pass: every vertex moves once, best first; what is kept is the best moment. False if nothing is won.
    bool improve() {
        std::set<std::pair<double, std::uint32_t>> gains[2]; // negative gains, so that the best is first
        std::vector<double> gain(graph_.count());
        for (std::uint32_t i = 0; i < graph_.count(); ++i) {
            if (graph_.neighbours(i).empty()) continue;
            gain[i] = gain_of(i);
            gains[side_[i] ? 1 : 0].emplace(-gain[i], i);
        }
        std::vector<std::uint32_t> moved;
        const double before = width_;
        double best = even() ? width_ : -1;
        std::size_t kept = 0;
        while (!gains[0].empty() || !gains[1].empty()) {
            const int from = choose_side(gains);
            if (from < 0) break;
            const std::uint32_t vertex = gains[from].begin()->second;
            gains[from].erase(gains[from].begin());
            gain[vertex] = never;
            move(vertex);
            moved.push_back(vertex);
            for (const auto& [to, weight] : graph_.neighbours(vertex)) {
                if (gain[to] == never) continue;
                gains[side_[to] ? 1 : 0].erase({-gain[to], to});
                gain[to] = gain_of(to);
                gains[side_[to] ? 1 : 0].emplace(-gain[to], to);
            }
            if (even() && (best < 0 || width_ < best * (1 - 1e-12))) {
                best = width_;
                kept = moved.size();
            }
        }
        for (std::size_t i = moved.size(); i > kept; --i) move(moved[i - 1]);
        return width_ < before * (1 - 1e-12);
    }

    [[nodiscard]] bool even() const { return std::abs(balance_) <= std::int64_t{largest_ > 1 ? largest_ : 1}; }
    [[nodiscard]] double width() const { return width_; }
    [[nodiscard]] bool on_second(std::uint32_t vertex) const { return side_[vertex]; }

  private:
    static constexpr double never = -1e300;
    using Gains = std::set<std::pair<double, std::uint32_t>>;

    [[nodiscard]] double gain_of(std::uint32_t vertex) const {
        double gain = 0;
        for (const auto& [to, weight] : graph_.neighbours(vertex))
            gain += side_[to] == side_[vertex] ? -weight : weight;
        return gain;
    }
    // From which side the best move comes that leaves the halves nearly even; -1 if there is none.
    int choose_side(const Gains (&gains)[2]) const {
        int best = -1;
        for (const int side : {0, 1}) {
            if (gains[side].empty()) continue;
            const auto [cost, vertex] = *gains[side].begin();
            const std::int64_t after = balance_ + (side == 1 ? 2 : -2) * std::int64_t{graph_.hosts(vertex)};
            if (std::abs(after) > 2 * std::int64_t{largest_} && std::abs(after) > std::abs(balance_)) continue;
            if (best < 0 || cost < gains[best].begin()->first) best = side;
        }
        return best;
    }
    void move(std::uint32_t vertex) {
        width_ -= gain_of(vertex);
        balance_ += (side_[vertex] ? 2 : -2) * std::int64_t{graph_.hosts(vertex)};
        side_[vertex] = !side_[vertex];
    }

    const CutGraph& graph_;
    std::vector<bool> side_;
    std::uint32_t largest_ = 1;
    std::int64_t total_ = 0;
    std::int64_t balance_ = 0; // hosts on the first side less those on the second
    double width_ = 0;
};

using Order = std::vector<std::uint32_t>;

Order breadth_first(const CutGraph& graph, std::uint32_t start) {
    Order order{start};
    std::vector<bool> seen(graph.count());
    seen[start] = true;
    for (std::uint32_t rest = 0; order.size() < graph.count(); ++rest) {
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const auto& [to, weight] : graph.neighbours(order[i])) {
                if (seen[to]) continue;
                seen[to] = true;
                order.push_back(to);
            }
        }
        while (rest < graph.count() && seen[rest]) ++rest;
        if (rest == graph.count()) break;
        seen[rest] = true;
        order.push_back(rest);
    }
    return order;
}

// By the second eigenvector of the Laplacian (Fiedler), found by iteration: neighbours come to lie together.
Order spectral(const CutGraph& graph) {
    const std::uint32_t n = graph.count();
    std::vector<double> degree(n);
    double largest = 1;
    for (std::uint32_t i = 0; i < n; ++i) {
        for (const auto& [to, weight] : graph.neighbours(i)) degree[i] += weight;
        largest = std::max(largest, degree[i]);
    }
    std::vector<double> x(n);
    for (std::uint32_t i = 0; i < n; ++i) x[i] = std::cos(0.7 + 2.3 * i / n * 3) + 1e-3 * (i % 7);
    std::vector<double> y(n);
    for (int step = 0; step < 300; ++step) {
        double mean = 0;
        for (const double each : x) mean += each / n;
        double norm = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            double sum = (2 * largest - degree[i]) * (x[i] - mean);
            for (const auto& [to, weight] : graph.neighbours(i)) sum += weight * (x[to] - mean);
            y[i] = sum;
            norm += sum * sum;
        }
        norm = std::sqrt(norm);
        if (norm == 0) break;
        for (std::uint32_t i = 0; i < n; ++i) x[i] = y[i] / norm;
    }
    Order order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
    return order;
}

} // namespace

std::optional<HostId> unreached_host(const Fabric& fabric) {
    std::vector<bool> seen(fabric.node_count());
    std::vector<NodeId> queue{NodeId{0}};
    seen[0] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        if (i > 0 && fabric.is_host(queue[i])) continue; // hosts do not forward
        for (const LinkId link : fabric.out(queue[i])) {
            if (link == no_link || seen[fabric.channel(link).to.index()]) continue;
            seen[fabric.channel(link).to.index()] = true;
            queue.push_back(fabric.channel(link).to);
        }
    }
    for (std::uint32_t host = 0; host < fabric.host_count(); ++host) {
        if (!seen[host]) return HostId{host};
    }
    return std::nullopt;
}

std::optional<Bisection> find_bisection(const Fabric& fabric, std::uint32_t most_nodes) {
    if (fabric.host_count() < 2 || fabric.node_count() > most_nodes) return std::nullopt;
    const CutGraph graph(fabric);
    Order by_number(graph.count());
    std::iota(by_number.begin(), by_number.end(), 0U);
    std::optional<Cut> best;
    for (const Order& order : {by_number, spectral(graph), breadth_first(graph, graph.vertex_of(0)),
                               breadth_first(graph, graph.vertex_of(fabric.host_count() / 2))}) {
        Cut cut(graph, order);
        for (int pass = 0; pass < 20 && cut.improve(); ++pass) {
        }
        if (cut.even() && (!best || cut.width() < best->width())) best.emplace(cut);
    }
    if (!best) return std::nullopt;
    Bisection found;
    found.second_side.resize(fabric.node_count());
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node)
        found.second_side[node] = best->on_second(graph.vertex_of(node));
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        const Channel& channel = fabric.channel({i});
        if (!fabric.is_channel({i}) || found.second_side[channel.from.index()] ||
            !found.second_side[channel.to.index()])
            continue;
        found.bandwidth += channel.bandwidth;
        ++found.cables;
    }
    return found;
}

} // namespace orrery
