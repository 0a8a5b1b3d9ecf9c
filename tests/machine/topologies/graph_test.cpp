#include "machine/topologies/graph.h"

#include "engine/error.h"
#include "machine/machine.h"

#include <gtest/gtest.h>
#include <random>

namespace orrery::graph_test {
namespace {

constexpr std::int64_t far = std::int64_t{1} << 60;

GraphShape random_graph(std::mt19937& random, bool connected) {
    GraphShape shape;
    const auto pick = [&](std::uint32_t most) {
        return std::uniform_int_distribution<std::uint32_t>(0, most)(random);
    };
    shape.hosts = 2 + pick(8);
    const std::uint32_t nodes = shape.hosts + pick(8);
    for (std::uint32_t i = 0; i < nodes; ++i) shape.nodes.push_back({"x" + std::to_string(i), i});
    const auto add = [&](std::uint32_t a, std::uint32_t b) {
        const Duplex duplex = pick(2) == 0 ? Duplex::shared : Duplex::split;
        shape.edges.push_back(
            {"e" + std::to_string(shape.edges.size()), a, b, {1e9, Time::us(1 + pick(5)), duplex}});
    };
    for (std::uint32_t i = 1; i < nodes; ++i) {
        if (connected || pick(3) > 0) add(i, pick(i - 1));
    }
    for (std::uint32_t i = pick(nodes); i > 0; --i) {
        const std::uint32_t a = pick(nodes - 1);
        const std::uint32_t b = pick(nodes - 1);
        if (a != b) add(a, b);
    }
    shape.by_latency = pick(1) == 0;
    return shape;
}

// The slow twin: Floyd and Warshall over (cost, other cost).
std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> all_distances(const GraphShape& shape) {
    const std::size_t n = shape.nodes.size();
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> d(n, std::vector(n, std::pair(far, far)));
    for (std::size_t i = 0; i < n; ++i) d[i][i] = {0, 0};
    for (const auto& edge : shape.edges) {
        const std::int64_t latency = edge.cable.latency.ps();
        const auto cost =
            shape.by_latency ? std::pair(latency, std::int64_t{1}) : std::pair(std::int64_t{1}, latency);
        d[edge.a][edge.b] = std::min(d[edge.a][edge.b], cost);
        d[edge.b][edge.a] = std::min(d[edge.b][edge.a], cost);
    }
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                d[i][j] = std::min(d[i][j],
                                   std::pair(d[i][k].first + d[k][j].first, d[i][k].second + d[k][j].second));
            }
        }
    }
    return d;
}

TEST(Graph, RoutesAreShortestOnRandomGraphs) {
    std::mt19937 random(11);
    int unreachable = 0;
    for (int round = 0; round < 300; ++round) {
        const GraphShape shape = random_graph(random, round % 3 != 0);
        const auto distances = all_distances(shape);
        std::vector<Link> links;
        const auto topology = make_graph(shape, links);
        for (std::uint32_t a = 0; a < shape.hosts; ++a) {
            for (std::uint32_t b = 0; b < shape.hosts; ++b) {
                std::vector<LinkId> route;
                if (distances[a][b].first >= far) {
                    EXPECT_THROW(topology->route({a}, {b}, route), InputError);
                    ++unreachable;
                    continue;
                }
                topology->route({a}, {b}, route);
                std::int64_t latency = 0;
                for (const LinkId link : route) latency += links[link.index()].latency.ps();
                const auto hops = static_cast<std::int64_t>(route.size());
                EXPECT_EQ(distances[a][b],
                          shape.by_latency ? std::pair(latency, hops) : std::pair(hops, latency));
                std::vector<LinkId> again;
                topology->route({a}, {b}, again);
                EXPECT_EQ(route, again);
            }
        }
    }
    EXPECT_GT(unreachable, 100);
}

TEST(Graph, LinksHaveADirection) {
    GraphShape shape;
    shape.hosts = 2;
    shape.nodes = {{"a", 1}, {"b", 2}, {"s", 3}};
    shape.edges = {{"left", 0, 2, {1e9, Time::us(1)}}, {"right", 2, 1, {2e9, Time::us(2)}}};
    std::vector<Link> links;
    const auto topology = make_graph(shape, links);
    ASSERT_EQ(links.size(), 4U);
    std::vector<LinkId> there;
    std::vector<LinkId> back;
    topology->route({0}, {1}, there);
    topology->route({1}, {0}, back);
    EXPECT_EQ(there, (std::vector<LinkId>{{0}, {2}}));
    EXPECT_EQ(back, (std::vector<LinkId>{{3}, {1}}));
    EXPECT_EQ(topology->link_name({0}), "left (a to s)");
    EXPECT_EQ(topology->link_name({3}), "right (b to s)");
}

TEST(Graph, RoutesByHandComeFirst) {
    GraphShape shape;
    shape.hosts = 2;
    shape.nodes = {{"a", 1}, {"b", 2}, {"s", 3}};
    shape.edges = {{"direct", 0, 1, {1e9, {}, Duplex::shared}},
                   {"x", 0, 2, {1e9, {}, Duplex::shared}},
                   {"y", 2, 1, {1e9, {}, Duplex::shared}}};
    shape.paths = {{0, 1, {1, 2}}};
    std::vector<Link> links;
    const auto topology = make_graph(shape, links);
    std::vector<LinkId> there;
    std::vector<LinkId> back;
    topology->route({0}, {1}, there);
    topology->route({1}, {0}, back);
    EXPECT_EQ(there, (std::vector<LinkId>{{1}, {2}}));
    EXPECT_EQ(back, (std::vector<LinkId>{{0}}));
    shape.paths = {{0, 1, {2, 1}}};
    EXPECT_THROW(make_graph(shape, links), UsageError);
    shape.paths = {{0, 1, {1}}};
    EXPECT_THROW(make_graph(shape, links), UsageError);
    shape.paths = {{0, 1, {0}}, {0, 1, {1, 2}}};
    EXPECT_THROW(make_graph(shape, links), UsageError);
}

} // namespace
} // namespace orrery::graph_test
