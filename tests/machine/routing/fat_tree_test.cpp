// Fat trees: D-mod-k is what the platform does; what is known of conflicts.
#include "machine/routing/fabrics.h"
#include "machine/routing/pattern_load.h"

#include <cmath>
#include <gtest/gtest.h>

namespace orrery::fat_tree_test {
namespace {

std::vector<Hop> path_of(const Routing& routing, std::uint32_t from, std::uint32_t to, std::uint64_t draw = 0) {
    std::vector<Hop> hops;
    routing.path({from}, {to}, draw, no_load(), hops);
    return hops;
}

TEST(FatTreeRouting, DModKIsThePlatformsRoute) {
    for (const char* const text : {"2; 4,4; 1,4", "3; 2,3,4; 1,2,3", "2; 4,3; 2,3; 1,2",
                                   "3; 3,2,2; 1,2,3; 2,1,2", "4; 2,2,2,2; 1,2,2,2"}) {
        const WiredMachine tree = fat_tree_machine(text);
        const auto routing = routing_of(tree, {"routing.policy=d-mod-k"});
        for (std::uint32_t from = 0; from < tree.platform->host_count(); ++from) {
            for (std::uint32_t to = 0; to < tree.platform->host_count(); ++to) {
                if (from == to) continue;
                std::vector<LinkId> expected;
                tree.fabric->route({from}, {to}, expected);
                std::vector<LinkId> links;
                for (const Hop& hop : path_of(*routing, from, to)) links.push_back(hop.channel);
                ASSERT_EQ(links, expected) << text << ": " << from << " to " << to;
            }
        }
    }
}

TEST(FatTreeRouting, BothFormsOfModKAgreeOnKAryTrees) {
    const WiredMachine tree = fat_tree_machine("3; 3,3,3; 1,3,3");
    const WiredMachine slim = fat_tree_machine("3; 4,4,4; 1,2,2");
    for (const char* const policy : {"routing.policy=d-mod-k", "routing.policy=s-mod-k"}) {
        bool same = true;
        bool same_on_slim = true;
        for (std::uint32_t to = 1; to < 27; ++to) {
            same = same && path_of(*routing_of(tree, {policy}), 0, to) ==
                               path_of(*routing_of(tree, {policy, "routing.form=children"}), 0, to);
        }
        for (std::uint32_t to = 1; to < 64; ++to) {
            same_on_slim = same_on_slim &&
                           path_of(*routing_of(slim, {policy}), to, 63 - to / 2) ==
                               path_of(*routing_of(slim, {policy, "routing.form=children"}), to, 63 - to / 2);
        }
        EXPECT_TRUE(same) << policy;
        EXPECT_FALSE(same_on_slim) << policy;
    }
}

TEST(FatTreeRouting, SModKIsDModKBackwards) {
    const WiredMachine tree = fat_tree_machine("3; 2,3,4; 1,2,3");
    const auto forth = routing_of(tree, {"routing.policy=d-mod-k"});
    const auto back = routing_of(tree, {"routing.policy=s-mod-k"});
    for (std::uint32_t from = 0; from < 24; ++from) {
        for (std::uint32_t to = 0; to < 24; ++to) {
            if (from == to) continue;
            std::vector<Hop> path = path_of(*forth, from, to);
            std::reverse(path.begin(), path.end());
            for (Hop& hop : path) hop.channel = tree.fabric->channel(hop.channel).reverse;
            ASSERT_EQ(path, path_of(*back, to, from));
        }
    }
}

TEST(FatTreeRouting, DModKRoutesEveryShiftWithoutConflict) {
    for (const char* const text : {"2; 4,4; 1,4", "3; 3,3,3; 1,3,3", "4; 2,2,2,2; 1,2,2,2"}) {
        const WiredMachine tree = fat_tree_machine(text);
        const auto routing = routing_of(tree, {"routing.policy=d-mod-k"});
        for (std::uint32_t by = 1; by < tree.platform->host_count(); ++by) {
            const PatternLoad load =
                load_of(*tree.fabric, *routing, read_pattern(*tree.platform, "shift:" + std::to_string(by)));
            ASSERT_EQ(load.most_flows, 1U) << text << " shift " << by;
            ASSERT_EQ(load.most_contention, 1U);
        }
    }
}

TEST(FatTreeRouting, NaiveSendsAllThroughOneSwitch) {
    const WiredMachine tree = fat_tree_machine("2; 4,4; 1,4");
    const auto routing = routing_of(tree, {"routing.policy=naive"});
    const PatternLoad load = load_of(*tree.fabric, *routing, read_pattern(*tree.platform, "shift:4"));
    EXPECT_EQ(load.most_flows, 4U);
    EXPECT_EQ(load.with_flows[0], 2U * (16 - 4));
    EXPECT_EQ(load.with_flows[4], 2U * 4);
}

// Balls in bins: of the 16 flows that leave a leaf by 16 channels, a channel gets k of them with a binomial
// probability, and the fullest of many holds several.
TEST(FatTreeRouting, RandomHasTheConflictsOfBallsInBins) {
    const WiredMachine tree = fat_tree_machine("2; 16,16; 1,16");
    double empty = 0;
    double worst = 0;
    constexpr int runs = 40;
    for (int seed = 1; seed <= runs; ++seed) {
        const auto routing =
            routing_of(tree, {"routing.policy=random", "routing.seed=" + std::to_string(seed)});
        const PatternLoad load = load_of(*tree.fabric, *routing, read_pattern(*tree.platform, "shift:16"));
        empty += static_cast<double>(load.with_flows[0]) / (2 * 256) / runs;
        worst += static_cast<double>(load.most_flows) / runs;
    }
    EXPECT_NEAR(empty, std::pow(15.0 / 16, 16), 0.01); // 0.356
    EXPECT_GT(worst, 4);
    EXPECT_LT(worst, 8);
}

TEST(FatTreeRouting, RandomPerMessageChangesAndPerPairDoesNot) {
    const WiredMachine tree = fat_tree_machine("2; 8,8; 1,8");
    const auto fixed = routing_of(tree, {"routing.policy=random"});
    const auto loose = routing_of(tree, {"routing.policy=random", "routing.per=message"});
    EXPECT_EQ(fixed->decides(), Decides::per_pair);
    EXPECT_EQ(loose->decides(), Decides::per_message);
    bool changed = false;
    for (std::uint64_t draw = 1; draw < 20; ++draw) {
        EXPECT_EQ(path_of(*fixed, 0, 63, draw), path_of(*fixed, 0, 63, 0));
        changed = changed || path_of(*loose, 0, 63, draw) != path_of(*loose, 0, 63, 0);
    }
    EXPECT_TRUE(changed);
    const auto other = routing_of(tree, {"routing.policy=random", "routing.seed=2"});
    int different = 0;
    for (std::uint32_t to = 8; to < 64; ++to)
        different += path_of(*fixed, 0, to) == path_of(*other, 0, to) ? 0 : 1;
    EXPECT_GT(different, 35);
}

// Only one channel is free of queues; it must be found. Without queues the choices go round.
class OneFree final : public LoadView {
  public:
    explicit OneFree(LinkId free) : free_(free) {}
    [[nodiscard]] Bytes queued(LinkId channel) const override { return channel == free_ ? 0 : 100; }

  private:
    LinkId free_;
};

TEST(FatTreeRouting, AdaptiveTakesTheLeastQueue) {
    const WiredMachine tree = fat_tree_machine("2; 4,4; 1,4");
    const auto routing = routing_of(tree, {"routing.policy=adaptive"});
    const Hop up = path_of(*routing, 0, 15)[0];
    const NodeId leaf = tree.fabric->channel(up.channel).to;
    std::set<std::uint32_t> taken;
    for (std::uint64_t draw = 0; draw < 4; ++draw)
        taken.insert(routing->next(leaf, up, {0}, {15}, draw, no_load()).channel.value);
    EXPECT_EQ(taken.size(), 4U);
    for (const std::uint32_t link : taken) {
        for (std::uint64_t draw = 0; draw < 4; ++draw)
            EXPECT_EQ(routing->next(leaf, up, {0}, {15}, draw, OneFree(LinkId{link})).channel.value, link);
    }
}

} // namespace
} // namespace orrery::fat_tree_test
