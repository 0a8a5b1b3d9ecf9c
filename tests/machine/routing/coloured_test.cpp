// Coloured routing: never worse than D-mod-k, at the bound where the bound can be reached.
#include "machine/routing/coloured.h"
#include "machine/routing/contention_bound.h"
#include "machine/routing/edge_colouring.h"
#include "machine/routing/fabrics.h"
#include "machine/routing/pattern_load.h"

#include "engine/random.h"

#include <gtest/gtest.h>
#include <map>

namespace orrery::coloured_test {
namespace {

std::unique_ptr<ColouredRouting> coloured(const WiredMachine& tree, const std::string& pattern) {
    return make_coloured(*tree.fabric, read_pattern(*tree.platform, pattern), 1);
}

TEST(EdgeColouring, SpreadsColoursEvenlyAtEveryVertex) {
    const RandomStream random(3, 0);
    std::uint64_t draws = 0;
    for (int round = 0; round < 50; ++round) {
        const auto vertices = static_cast<std::uint32_t>(1 + random.below(draws++, 12));
        const auto colours = static_cast<std::uint32_t>(1 + random.below(draws++, 7));
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges(random.below(draws++, 150));
        std::map<std::uint32_t, std::uint32_t> degree[2];
        for (auto& [left, right] : edges) {
            left = static_cast<std::uint32_t>(random.below(draws++, vertices));
            right = static_cast<std::uint32_t>(random.below(draws++, vertices));
            ++degree[0][left];
            ++degree[1][right];
        }
        const auto colour = colour_edges(edges, colours);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> times[2];
        for (std::size_t i = 0; i < edges.size(); ++i) {
            ASSERT_LT(colour[i], colours);
            ++times[0][{edges[i].first, colour[i]}];
            ++times[1][{edges[i].second, colour[i]}];
        }
        for (const int side : {0, 1}) {
            for (const auto& [where, count] : times[side])
                ASSERT_LE(count, (degree[side][where.first] + colours - 1) / colours);
        }
    }
}

TEST(ContentionBound, IsALargestMatching) {
    using Pairs = std::vector<std::pair<HostId, HostId>>;
    EXPECT_EQ(largest_matching(Pairs{}), 0U);
    EXPECT_EQ(largest_matching(Pairs{{{0}, {1}}, {{0}, {2}}, {{0}, {3}}}), 1U); // one sender
    EXPECT_EQ(largest_matching(Pairs{{{0}, {1}}, {{2}, {1}}, {{2}, {3}}}), 2U);
    // A greedy choice of the first receiver has to be taken back along the whole chain.
    EXPECT_EQ(
        largest_matching(Pairs{{{0}, {10}}, {{0}, {11}}, {{1}, {10}}, {{1}, {12}}, {{2}, {12}}, {{3}, {11}}}),
        3U);
}

TEST(ColouredRouting, RoutesEveryPermutationOfAFullTreeWithoutConflict) {
    for (const char* const text : {"2; 8,8; 1,8", "3; 4,4,4; 1,4,4"}) {
        const WiredMachine tree = fat_tree_machine(text);
        for (int seed = 1; seed <= 10; ++seed) {
            const auto pattern = read_pattern(*tree.platform, "permutation:" + std::to_string(seed));
            const auto routing = make_coloured(*tree.fabric, pattern, 1);
            EXPECT_EQ(routing->report().bound, 1U);
            EXPECT_EQ(routing->report().contention, 1U) << text;
            EXPECT_GT(routing->report().d_mod_k, 1U);
            EXPECT_EQ(load_of(*tree.fabric, *routing, pattern).most_contention, 1U); // counted independently
        }
    }
}

TEST(ColouredRouting, IsNeverWorseThanModKOnSlimmedTrees) {
    for (const char* const text : {"2; 8,8; 1,5", "3; 4,4,4; 1,3,2", "2; 8,6; 1,3; 1,2"}) {
        const WiredMachine tree = fat_tree_machine(text);
        int at_the_bound = 0;
        for (int seed = 1; seed <= 10; ++seed) {
            const auto pattern = read_pattern(*tree.platform, "permutation:" + std::to_string(seed));
            const auto routing = make_coloured(*tree.fabric, pattern, 1);
            const ColourReport& report = routing->report();
            EXPECT_LE(report.contention, report.d_mod_k);
            EXPECT_LE(report.contention, report.s_mod_k);
            EXPECT_GE(report.contention, report.bound);
            EXPECT_EQ(load_of(*tree.fabric, *routing, pattern).most_contention, report.contention);
            at_the_bound += report.contention == report.bound ? 1 : 0;
        }
        EXPECT_GE(at_the_bound, 9) << text;
    }
}

// The pattern of WRF on 256 hosts: n to n+16 and to n-16.
TEST(ColouredRouting, ReachesTheBoundForWrfOnSlimmedTrees) {
    for (std::uint32_t width = 1; width <= 16; ++width) {
        const WiredMachine tree = fat_tree_machine("2; 16,16; 1," + std::to_string(width));
        const auto routing = coloured(tree, "exchange:16");
        EXPECT_EQ(routing->report().bound, (16 + width - 1) / width);
        EXPECT_EQ(routing->report().contention, routing->report().bound) << width;
    }
    for (const char* const text :
         {"3; 8,8,4; 1,8,8", "3; 8,8,4; 1,6,6", "3; 8,8,4; 1,4,4", "3; 8,8,4; 1,3,2"}) {
        const WiredMachine tree = fat_tree_machine(text);
        const auto routing = coloured(tree, "exchange:16");
        EXPECT_EQ(routing->report().contention, routing->report().bound) << text;
    }
}

TEST(ColouredRouting, PhasesDoNotMeet) {
    const WiredMachine tree = fat_tree_machine("2; 4,4; 1,1");
    std::string together;
    std::string apart;
    for (int i = 0; i < 4; ++i) {
        together += std::to_string(i) + " " + std::to_string(4 + i) + "\n";
        apart += std::to_string(i) + " " + std::to_string(4 + i) + " 1kB " + std::to_string(i) + "\n";
    }
    EXPECT_EQ(make_coloured(*tree.fabric, parse_pattern(*tree.platform, together, "p"), 1)->report().bound, 4U);
    const auto pattern = parse_pattern(*tree.platform, apart, "p");
    const auto routing = make_coloured(*tree.fabric, pattern, 1);
    EXPECT_EQ(routing->report().bound, 1U);
    EXPECT_EQ(routing->report().contention, 1U);
    const PatternLoad load = load_of(*tree.fabric, *routing, pattern);
    EXPECT_EQ(load.most_contention, 1U);
    EXPECT_EQ(load.channels[load.worst.index()].bytes, 4000U);
}

TEST(ColouredRouting, IsTheSameTwiceAndDModKElsewhere) {
    const WiredMachine tree = fat_tree_machine("2; 8,8; 1,5");
    const auto one = coloured(tree, "permutation:4");
    const auto two = coloured(tree, "permutation:4");
    const auto other = routing_of(tree, {"routing.policy=d-mod-k"});
    const auto pattern = read_pattern(*tree.platform, "permutation:4");
    for (std::uint32_t from = 0; from < 64; ++from) {
        for (std::uint32_t to = 0; to < 64; ++to) {
            if (from == to) continue;
            std::vector<Hop> a;
            std::vector<Hop> b;
            std::vector<Hop> c;
            one->path({from}, {to}, 0, no_load(), a);
            two->path({from}, {to}, 0, no_load(), b);
            other->path({from}, {to}, 0, no_load(), c);
            EXPECT_EQ(a, b);
            if (pattern.flows[from].to.value != to) {
                EXPECT_EQ(a, c);
            }
        }
    }
}

} // namespace
} // namespace orrery::coloured_test
