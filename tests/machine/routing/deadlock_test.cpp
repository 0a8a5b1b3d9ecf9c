// The check itself: it must find the cycles that are there.
#include "machine/routing/deadlock.h"
#include "machine/routing/fabrics.h"

#include <gtest/gtest.h>

namespace orrery::deadlock_test {
namespace {

DeadlockCheck check_of(const WiredMachine& machine, const std::string& policy) {
    return check_deadlock(*machine.fabric, *routing_of(machine, {"routing.policy=" + policy}));
}

// Each hop of the cycle begins where the last one ended.
bool is_closed(const Fabric& fabric, const std::vector<Hop>& cycle) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const Channel& here = fabric.channel(cycle[i].channel);
        if (here.to != fabric.channel(cycle[(i + 1) % cycle.size()].channel).from) return false;
    }
    return !cycle.empty();
}

TEST(DeadlockCheck, ATorusWithoutDatelinesHasACircle) {
    for (const std::vector<std::uint32_t>& dimensions :
         {std::vector<std::uint32_t>{4}, {5}, {4, 4}, {2, 3, 6}, {8, 2}}) {
        const WiredMachine torus = torus_machine(dimensions);
        const DeadlockCheck without = check_of(torus, "shortest");
        EXPECT_TRUE(is_closed(*torus.fabric, without.cycle)) << torus.platform->topology().words();
        EXPECT_TRUE(check_of(torus, "dimension-order").cycle.empty());
    }
}

TEST(DeadlockCheck, RingsOfThreeNeedNoSecondLane) {
    const WiredMachine torus = torus_machine({3, 3, 3});
    EXPECT_EQ(routing_of(torus, {})->lanes(), 1U);
    EXPECT_TRUE(check_of(torus, "dimension-order").cycle.empty());
    EXPECT_TRUE(check_of(torus, "shortest").cycle.empty());
    EXPECT_EQ(routing_of(torus_machine({3, 4}), {})->lanes(), 2U);
    EXPECT_EQ(routing_of(torus_machine({8, 8}, false), {})->lanes(), 1U);
}

TEST(DeadlockCheck, TheCircleIsNamed) {
    const WiredMachine ring = torus_machine({4});
    const DeadlockCheck check = check_of(ring, "shortest");
    EXPECT_TRUE(check.all);
    EXPECT_EQ(check.paths, 12U);
    EXPECT_EQ(cycle_words(*ring.fabric, check.cycle, 1),
              "n0 to n1 -> n1 to n2 -> n2 to n3 -> n3 to n0 -> n0 to n1");
    EXPECT_EQ(cycle_words(*ring.fabric, std::vector<Hop>{{check.cycle[0].channel, 1}}, 2),
              "n0 to n1 lane 1 -> n0 to n1 lane 1");
}

TEST(DeadlockCheck, DragonfliesOnOneLaneHaveACircle) {
    const WiredMachine dragonfly = dragonfly_machine(5, 1, 4, 1, 1);
    EXPECT_TRUE(is_closed(*dragonfly.fabric, check_of(dragonfly, "shortest").cycle));
    EXPECT_EQ(routing_of(dragonfly, {})->lanes(), 2U);
    EXPECT_EQ(routing_of(dragonfly, {"routing.policy=valiant"})->lanes(), 3U);
}

TEST(DeadlockCheck, UpDownMendsGraphsWithLoops) {
    const WiredMachine ring = ring_machine(6);
    EXPECT_TRUE(is_closed(*ring.fabric, check_of(ring, "shortest").cycle));
    EXPECT_TRUE(check_of(ring, "up-down").cycle.empty());
    // Petersen's graph, two hosts on each switch.
    const WiredMachine petersen = graph_machine(10, 2,
                                                {{0, 1},
                                                 {1, 2},
                                                 {2, 3},
                                                 {3, 4},
                                                 {4, 0},
                                                 {0, 5},
                                                 {1, 6},
                                                 {2, 7},
                                                 {3, 8},
                                                 {4, 9},
                                                 {5, 7},
                                                 {7, 9},
                                                 {9, 6},
                                                 {6, 8},
                                                 {8, 5}});
    const DeadlockCheck check = check_of(petersen, "up-down");
    EXPECT_TRUE(check.cycle.empty());
    EXPECT_EQ(check.paths, 20U * 19U);
}

TEST(DeadlockCheck, LayersKeepTheWaysAndAddLanes) {
    const WiredMachine ring = ring_machine(8);
    const auto layered = routing_of(ring, {});
    EXPECT_EQ(layered->words(), "shortest paths in layers");
    EXPECT_EQ(layered->lanes(), 2U);
    const auto plain = routing_of(ring, {"routing.policy=shortest"});
    for (std::uint32_t to = 1; to < 8; ++to) {
        std::vector<Hop> a;
        std::vector<Hop> b;
        layered->path({0}, {to}, 0, no_load(), a);
        plain->path({0}, {to}, 0, no_load(), b);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].channel, b[i].channel);
    }
    EXPECT_EQ(routing_of(crossbar_machine(4), {})->lanes(), 1U);
    EXPECT_LE(routing_of(torus_machine({6, 6}), {"routing.policy=layered"})->lanes(), 4U);
}

TEST(DeadlockCheck, LooksAtSomeWaysOnlyIfThereAreTooMany) {
    const WiredMachine tree = fat_tree_machine("2; 8,8; 1,8");
    const auto routing = routing_of(tree, {"routing.policy=random", "routing.per=packet"});
    EXPECT_TRUE(check_deadlock(*tree.fabric, *routing).all);
    const DeadlockCheck some = check_deadlock(*tree.fabric, *routing, 500);
    EXPECT_FALSE(some.all);
    EXPECT_GE(some.paths, 500U);
    EXPECT_LT(some.paths, 600U);
}

} // namespace
} // namespace orrery::deadlock_test
