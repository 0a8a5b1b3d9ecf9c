#include "machine/topologies/graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint32_t nothing = ~std::uint32_t{0};

class Graph final : public Topology {
  public:
    Graph(GraphShape shape, std::vector<Link>& links);

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override;
    [[nodiscard]] std::string host_name(HostId host) const override { return shape_.nodes[host.index()].name; }
    [[nodiscard]] std::string link_name(LinkId link) const override;
    [[nodiscard]] std::string link_class(LinkId link) const override;
    [[nodiscard]] std::optional<HostId> find_host(std::string_view name) const override;
    [[nodiscard]] std::string words() const override {
        return fmt::format("graph of {} hosts, {} switches and {} cables", shape_.hosts,
                           shape_.nodes.size() - shape_.hosts, shape_.edges.size());
    }

    bool wire(Wiring& wiring) const override;

  private:
    struct Row {
        std::once_flag made;
        std::vector<std::uint32_t> edge_to; // by core node: the last edge on the way there
    };

    void find_core();
    void place_paths();
    [[nodiscard]] bool is_loopback(LinkId link) const { return shape_.loopback && link.value < shape_.hosts; }
    [[nodiscard]] std::size_t edge_of(LinkId link) const;
    [[nodiscard]] std::uint32_t other_end(std::uint32_t edge, std::uint32_t node) const {
        const auto& each = shape_.edges[edge];
        return each.a == node ? each.b : each.a;
    }
    // The link of `edge` when it is left from `node`.
    [[nodiscard]] LinkId link_from(std::uint32_t edge, std::uint32_t node) const {
        const std::uint32_t first = first_link_[edge];
        const bool split = shape_.edges[edge].cable.duplex == Duplex::split;
        return {split && shape_.edges[edge].b == node ? first + 1 : first};
    }
    [[nodiscard]] std::span<const std::uint32_t> edges_of(std::uint32_t node) const {
        return std::span(edges_).subspan(first_edge_[node], first_edge_[node + 1] - first_edge_[node]);
    }
    [[nodiscard]] const std::vector<std::uint32_t>& row(std::uint32_t core) const;
    [[nodiscard]] std::vector<std::uint32_t> shortest_paths(std::uint32_t core) const;
    [[noreturn]] void no_route(HostId from, HostId to) const;

    GraphShape shape_;
    std::vector<std::uint32_t> by_name_;    // hosts in the order of their names
    std::vector<std::uint32_t> first_link_; // of each edge
    std::vector<std::uint32_t> first_edge_; // of each node, into edges_
    std::vector<std::uint32_t> edges_;
    std::vector<std::uint32_t> core_of_; // a node's number among those that routes lead through, or `nothing`
    std::vector<std::uint32_t> core_;    // and back
    std::vector<std::pair<std::uint64_t, std::uint32_t>> paths_; // (from, to) and index into shape_.paths
    mutable std::vector<Row> rows_;
};

Graph::Graph(GraphShape shape, std::vector<Link>& links) : shape_(std::move(shape)), by_name_(shape_.hosts) {
    if (shape_.loopback) links.assign(shape_.hosts, *shape_.loopback);
    std::vector<std::uint32_t> degree(shape_.nodes.size() + 1);
    for (const auto& edge : shape_.edges) {
        first_link_.push_back(static_cast<std::uint32_t>(links.size()));
        links.insert(links.end(), edge.cable.links(), edge.cable.link());
        ++degree[edge.a];
        ++degree[edge.b];
    }
    first_edge_.resize(shape_.nodes.size() + 1);
    std::exclusive_scan(degree.begin(), degree.end(), first_edge_.begin(), 0U);
    edges_.resize(2 * shape_.edges.size());
    std::vector<std::uint32_t> filled(first_edge_.begin(), first_edge_.end());
    for (std::uint32_t i = 0; i < shape_.edges.size(); ++i) {
        edges_[filled[shape_.edges[i].a]++] = i;
        edges_[filled[shape_.edges[i].b]++] = i;
    }
    std::iota(by_name_.begin(), by_name_.end(), 0U);
    std::sort(by_name_.begin(), by_name_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return shape_.nodes[a].name < shape_.nodes[b].name; });
    find_core();
    place_paths();
}

// All nodes but the hosts with a single cable to something that is not such a host itself.
void Graph::find_core() {
    const auto single = [&](std::uint32_t node) { return node < shape_.hosts && edges_of(node).size() == 1; };
    core_of_.assign(shape_.nodes.size(), nothing);
    for (std::uint32_t i = 0; i < shape_.nodes.size(); ++i) {
        if (single(i) && !single(other_end(edges_of(i)[0], i))) continue;
        core_of_[i] = static_cast<std::uint32_t>(core_.size());
        core_.push_back(i);
    }
    rows_ = std::vector<Row>(core_.size());
}

void Graph::place_paths() {
    for (std::uint32_t i = 0; i < shape_.paths.size(); ++i) {
        const auto& path = shape_.paths[i];
        std::uint32_t at = path.from;
        for (const std::uint32_t edge : path.edges) {
            if (shape_.edges[edge].a != at && shape_.edges[edge].b != at) {
                throw UsageError(
                    fmt::format("the route from {} to {} does not hold together: cable '{}' does not "
                                "touch {}",
                                shape_.nodes[path.from].name, shape_.nodes[path.to].name,
                                shape_.edges[edge].name, shape_.nodes[at].name));
            }
            at = other_end(edge, at);
        }
        if (at != path.to) {
            throw UsageError(fmt::format("the route from {} to {} ends at {}", shape_.nodes[path.from].name,
                                         shape_.nodes[path.to].name, shape_.nodes[at].name));
        }
        paths_.emplace_back((std::uint64_t{path.from} << 32U) | path.to, i);
    }
    std::sort(paths_.begin(), paths_.end());
    const auto twice = std::adjacent_find(paths_.begin(), paths_.end(),
                                          [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != paths_.end()) {
        const auto& path = shape_.paths[twice->second];
        throw UsageError(fmt::format("there are two routes from {} to {}", shape_.nodes[path.from].name,
                                     shape_.nodes[path.to].name));
    }
}

void Graph::route(HostId from, HostId to, std::vector<LinkId>& links) const {
    if (from == to) {
        if (shape_.loopback) links.push_back({from.value});
        return;
    }
    if (!paths_.empty()) {
        const std::uint64_t key = (std::uint64_t{from.value} << 32U) | to.value;
        const auto found = std::lower_bound(paths_.begin(), paths_.end(), std::pair(key, 0U));
        if (found != paths_.end() && found->first == key) {
            std::uint32_t at = from.value;
            for (const std::uint32_t edge : shape_.paths[found->second].edges) {
                links.push_back(link_from(edge, at));
                at = other_end(edge, at);
            }
            return;
        }
    }
    std::uint32_t start = from.value;
    std::uint32_t end = to.value;
    if (core_of_[start] == nothing) {
        const std::uint32_t edge = edges_of(start)[0];
        links.push_back(link_from(edge, start));
        start = other_end(edge, start);
    }
    std::uint32_t last = nothing; // the cable of a host that has only one
    if (core_of_[end] == nothing) {
        last = edges_of(end)[0];
        end = other_end(last, end);
    }
    const auto& edge_to = row(core_of_[start]);
    const auto begin = links.size();
    for (std::uint32_t at = end; at != start;) {
        const std::uint32_t edge = edge_to[core_of_[at]];
        if (edge == nothing) no_route(from, to);
        const std::uint32_t before = other_end(edge, at);
        links.push_back(link_from(edge, before));
        at = before;
    }
    std::reverse(links.begin() + static_cast<std::ptrdiff_t>(begin), links.end());
    if (last != nothing) links.push_back(link_from(last, end));
}

const std::vector<std::uint32_t>& Graph::row(std::uint32_t core) const {
    Row& row = rows_[core];
    std::call_once(row.made, [&] { row.edge_to = shortest_paths(core); });
    return row.edge_to;
}

std::vector<std::uint32_t> Graph::shortest_paths(std::uint32_t core) const {
    using Cost = std::pair<std::int64_t, std::int64_t>;
    using Entry = std::pair<Cost, std::uint32_t>; // of equal cost, the node that is declared first
    constexpr Cost unreached{std::int64_t{1} << 62U, 0};
    std::vector<Cost> cost(core_.size(), unreached);
    std::vector<std::uint32_t> edge_to(core_.size(), nothing);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    cost[core] = {0, 0};
    queue.push({cost[core], core});
    while (!queue.empty()) {
        const auto [reached, at] = queue.top();
        queue.pop();
        if (reached != cost[at]) continue;
        if (!shape_.through_hosts && at != core && core_[at] < shape_.hosts) continue;
        for (const std::uint32_t edge : edges_of(core_[at])) {
            const std::uint32_t next = core_of_[other_end(edge, core_[at])];
            if (next == nothing) continue;
            const std::int64_t latency = shape_.edges[edge].cable.latency.ps();
            const Cost there = shape_.by_latency ? Cost{reached.first + latency, reached.second + 1}
                                                 : Cost{reached.first + 1, reached.second + latency};
            if (there >= cost[next]) continue;
            cost[next] = there;
            edge_to[next] = edge;
            queue.push({there, next});
        }
    }
    return edge_to;
}

void Graph::no_route(HostId from, HostId to) const {
    const auto& node = shape_.nodes[from.index()];
    throw InputError(Error{shape_.file, node.line, 0,
                           fmt::format("there is no route from {} to {} (line {})", node.name, host_name(to),
                                       shape_.nodes[to.index()].line)});
}

std::size_t Graph::edge_of(LinkId link) const {
    const auto after = std::upper_bound(first_link_.begin(), first_link_.end(), link.value);
    return static_cast<std::size_t>(after - first_link_.begin()) - 1;
}

std::string Graph::link_name(LinkId link) const {
    if (is_loopback(link)) return host_name({link.value}) + " loopback";
    const std::size_t number = edge_of(link);
    const auto& edge = shape_.edges[number];
    if (edge.cable.duplex != Duplex::split) return edge.name;
    const bool back = link.value != first_link_[number];
    return fmt::format("{} ({} to {})", edge.name, shape_.nodes[back ? edge.b : edge.a].name,
                       shape_.nodes[back ? edge.a : edge.b].name);
}

// Cables of hosts; those between switches by the higher of their levels, where the file says these.
std::string Graph::link_class(LinkId link) const {
    if (is_loopback(link)) return "loopback";
    const auto& edge = shape_.edges[edge_of(link)];
    if (std::min(edge.a, edge.b) < shape_.hosts) return "hosts";
    const std::uint32_t level = std::max(shape_.nodes[edge.a].level, shape_.nodes[edge.b].level);
    return level == 0 ? "switches" : fmt::format("switches, level {}", level);
}

bool Graph::wire(Wiring& wiring) const {
    for (std::size_t i = shape_.hosts; i < shape_.nodes.size(); ++i) {
        wiring.switches.push_back({shape_.nodes[i].name, shape_.nodes[i].level});
    }
    std::vector<std::vector<std::uint32_t>> taken(shape_.nodes.size());
    for (const auto& edge : shape_.edges) {
        if (edge.port_a != any_port) taken[edge.a].push_back(edge.port_a);
        if (edge.port_b != any_port) taken[edge.b].push_back(edge.port_b);
    }
    for (auto& ports : taken) std::sort(ports.begin(), ports.end());
    std::vector<std::uint32_t> next(shape_.nodes.size());
    const auto free_port = [&](std::uint32_t node) {
        while (std::binary_search(taken[node].begin(), taken[node].end(), next[node])) ++next[node];
        return next[node]++;
    };
    for (std::uint32_t i = 0; i < shape_.edges.size(); ++i) {
        const auto& edge = shape_.edges[i];
        wiring.cables.push_back({NodeId{edge.a}, NodeId{edge.b},
                                 edge.port_a == any_port ? free_port(edge.a) : edge.port_a,
                                 edge.port_b == any_port ? free_port(edge.b) : edge.port_b,
                                 link_from(i, edge.a), link_from(i, edge.b)});
    }
    return true;
}

std::optional<HostId> Graph::find_host(std::string_view name) const {
    const auto found =
        std::lower_bound(by_name_.begin(), by_name_.end(), name,
                         [&](std::uint32_t host, auto word) { return shape_.nodes[host].name < word; });
    if (found == by_name_.end() || shape_.nodes[*found].name != name) return std::nullopt;
    return HostId{*found};
}

} // namespace

std::unique_ptr<Topology> make_graph(GraphShape shape, std::vector<Link>& links) {
    return std::make_unique<Graph>(std::move(shape), links);
}

} // namespace orrery
