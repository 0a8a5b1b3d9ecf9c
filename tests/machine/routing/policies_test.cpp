// Every policy on every topology that takes it: valid walks, no cycle of channels, the same twice.
#include "machine/routing/deadlock.h"
#include "machine/routing/fabrics.h"
#include "machine/routing/families.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::policies_test {
namespace {

std::vector<WiredMachine> trees() {
    return {fat_tree_machine("2; 4,4; 1,4"), fat_tree_machine("3; 2,2,3; 1,2,2"),
            fat_tree_machine("2; 4,3; 2,3; 1,2"), fat_tree_machine("3; 3,2,2; 1,2,3; 2,1,2"),
            fat_tree_machine("1; 5; 1")};
}
std::vector<WiredMachine> grids() {
    return {torus_machine({4, 4}),          torus_machine({5}),
            torus_machine({2, 3, 4}),       torus_machine({4, 5}, false),
            torus_machine({3, 3}, true, 2), torus_machine({1, 6}),
            hypercube_machine(4),           hyperx_machine({3, 4}, 2),
            hyperx_machine({5}, 1)};
}
std::vector<WiredMachine> dragonflies() {
    return {dragonfly_machine(5, 1, 4, 1, 1), dragonfly_machine(3, 2, 3, 2, 2),
            dragonfly_machine(2, 2, 2, 1, 4), dragonfly_machine(1, 2, 3, 2, 1),
            dragonfly_machine(9, 1, 4, 2, 1)};
}
std::vector<WiredMachine> others() {
    return {crossbar_machine(6), ring_machine(7),
            graph_machine(10, 1,
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
                           {8, 5}})};
}

struct Use {
    std::vector<WiredMachine> machines;
    std::vector<std::vector<std::string>> settings;
};

std::vector<Use> all_uses() {
    const std::vector<std::vector<std::string>> tree_policies{
        {"routing.policy=auto"},
        {"routing.policy=d-mod-k", "routing.form=children"},
        {"routing.policy=s-mod-k"},
        {"routing.policy=s-mod-k", "routing.form=children"},
        {"routing.policy=random"},
        {"routing.policy=random", "routing.per=message"},
        {"routing.policy=random", "routing.per=packet", "routing.seed=7"},
        {"routing.policy=naive"},
        {"routing.policy=adaptive"},
        {"routing.policy=coloured", "routing.pattern=permutation:3"},
        {"routing.policy=shortest"},
        {"routing.policy=up-down"}};
    const std::vector<std::vector<std::string>> regular_policies{
        {"routing.policy=auto"},
        {"routing.policy=valiant"},
        {"routing.policy=valiant", "routing.per=pair"},
        {"routing.policy=ugal"},
        {"routing.policy=ugal", "routing.view=global", "routing.per=message", "routing.bias=1 KiB"},
        {"routing.policy=layered"},
        {"routing.policy=up-down"}};
    auto grid_policies = regular_policies;
    grid_policies.push_back({"routing.policy=dimension-order"});
    auto dragonfly_policies = regular_policies;
    dragonfly_policies.push_back({"routing.policy=minimal"});
    return {{trees(), tree_policies},
            {grids(), grid_policies},
            {dragonflies(), dragonfly_policies},
            {others(), {{"routing.policy=auto"}, {"routing.policy=layered"}, {"routing.policy=up-down"}}}};
}

// Queues that differ from channel to channel.
class SomeLoad final : public LoadView {
  public:
    explicit SomeLoad(std::uint32_t salt) : salt_(salt) {}
    [[nodiscard]] Bytes queued(LinkId channel) const override {
        return (channel.value * 2654435761U + salt_) >> 24U;
    }

  private:
    std::uint32_t salt_;
};

class WalkChecker final : public PathSink {
  public:
    WalkChecker(const Fabric& fabric, std::uint32_t lanes) : fabric_(fabric), lanes_(lanes) {}
    void path(std::span<const Hop> hops) override {
        good = good && is_walk(fabric_, from, to, hops, lanes_);
        paths.emplace_back(hops.begin(), hops.end());
    }
    HostId from;
    HostId to;
    bool good = true;
    std::vector<std::vector<Hop>> paths;

  private:
    const Fabric& fabric_;
    std::uint32_t lanes_;
};

template <typename Check> void for_each_use(Check check) {
    for (const Use& use : all_uses()) {
        for (const WiredMachine& machine : use.machines) {
            for (const auto& settings : use.settings) {
                SCOPED_TRACE(machine.platform->topology().words() + ", " + settings.front());
                check(machine, *routing_of(machine, settings));
            }
        }
    }
}

TEST(RoutingPolicies, GiveWalksThatTheyAnnounced) {
    for_each_use([](const WiredMachine& machine, const Routing& routing) {
        const std::uint32_t hosts = machine.platform->host_count();
        EXPECT_FALSE(routing.words().empty());
        for (std::uint32_t from = 0; from < hosts; ++from) {
            for (std::uint32_t to = 0; to < hosts; ++to) {
                if (from == to) continue;
                WalkChecker checker(*machine.fabric, routing.lanes());
                checker.from = {from};
                checker.to = {to};
                EXPECT_TRUE(routing.paths({from}, {to}, 1000, checker));
                ASSERT_TRUE(checker.good) << from << " to " << to;
                for (const std::uint64_t draw : {0U, 1U, 77U}) {
                    const SomeLoad load(static_cast<std::uint32_t>(draw) * 12345U + from);
                    std::vector<Hop> hops;
                    routing.path({from}, {to}, draw, load, hops);
                    ASSERT_NE(std::find(checker.paths.begin(), checker.paths.end(), hops), checker.paths.end())
                        << from << " to " << to << " takes a path that it did not announce";
                    std::vector<Hop> again;
                    routing.path({from}, {to}, draw, load, again);
                    EXPECT_EQ(hops, again);
                }
            }
        }
    });
}

// Rings are walked without asking the platform; the lanes are those of the rule.
TEST(RoutingPolicies, DimensionOrderIsThePlatformsRoute) {
    using Dimensions = std::vector<std::uint32_t>;
    for (const Dimensions& dimensions :
         {Dimensions{5}, {2, 4}, {4, 2, 3}, {1, 6, 2}, {3, 3}, {8, 5}, {4, 4, 4}}) {
        for (const int kind : {0, 1, 2, 3, 4}) { // torus, mesh, hosts with cables, SimGrid's, with limiters
            TorusShape shape;
            shape.dimensions = dimensions;
            shape.cables.assign(dimensions.size(), test_cable);
            shape.wraps = kind != 1;
            shape.simgrid = kind == 3;
            if (kind == 2) shape.nodes = 3;
            if (kind == 2) shape.node_cable = test_cable;
            if (kind == 4) shape.limiter = 1e9;
            const WiredMachine machine =
                wired("torus", torus_hosts(shape), [&](HostNames names, std::vector<Link>& links) {
                    return make_torus(shape, std::move(names), links);
                });
            const Fabric& fabric = *machine.fabric;
            const auto routing = routing_of(machine, {"routing.policy=dimension-order"});
            const auto coordinate = [&](LinkId channel, bool end, std::size_t axis) {
                const Channel& each = fabric.channel(channel);
                std::uint32_t rest = (end ? each.to : each.from).value - fabric.host_count();
                for (std::size_t i = 0; i < axis; ++i) rest /= dimensions[i];
                return rest % dimensions[axis];
            };
            for (std::uint32_t from = 0; from < fabric.host_count(); ++from) {
                for (std::uint32_t to = 0; to < fabric.host_count(); ++to) {
                    if (from == to) continue;
                    std::vector<LinkId> channels;
                    fabric.route({from}, {to}, channels);
                    std::vector<Hop> expected(channels.size());
                    std::vector<bool> crossed(dimensions.size());
                    for (std::size_t i = 0; i < channels.size(); ++i) {
                        expected[i].channel = channels[i];
                        if (i == 0 || i + 1 == channels.size()) continue;
                        std::size_t axis = 0;
                        while (coordinate(channels[i], false, axis) == coordinate(channels[i], true, axis))
                            ++axis;
                        const std::uint32_t a = coordinate(channels[i], false, axis);
                        const std::uint32_t b = coordinate(channels[i], true, axis);
                        if (dimensions[axis] > 3 && (a > b ? a - b : b - a) > 1) crossed[axis] = true;
                        expected[i].lane = crossed[axis] ? 1 : 0;
                    }
                    std::vector<Hop> hops;
                    routing->path({from}, {to}, 0, no_load(), hops);
                    ASSERT_EQ(hops, expected) << from << " to " << to << ", kind " << kind;
                }
            }
        }
    }
}

TEST(RoutingPolicies, HopByHopIsTheSameWay) {
    for_each_use([](const WiredMachine& machine, const Routing& routing) {
        const SomeLoad load(5);
        for (std::uint32_t to = 1; to < machine.platform->host_count(); ++to) {
            std::vector<Hop> hops;
            routing.path({0}, {to}, 3, load, hops);
            Hop came{no_link, 0};
            NodeId at{0};
            for (const Hop& hop : hops) {
                came = routing.next(at, came, {0}, {to}, 3, load);
                ASSERT_EQ(came, hop);
                at = machine.fabric->channel(hop.channel).to;
            }
        }
    });
}

TEST(RoutingPolicies, CannotDeadlock) {
    for_each_use([](const WiredMachine& machine, const Routing& routing) {
        const DeadlockCheck check = check_deadlock(*machine.fabric, routing);
        EXPECT_TRUE(check.all);
        EXPECT_GE(check.paths,
                  std::uint64_t{machine.platform->host_count()} * (machine.platform->host_count() - 1));
        EXPECT_TRUE(check.cycle.empty()) << cycle_words(*machine.fabric, check.cycle, routing.lanes());
    });
}

TEST(RoutingPolicies, MisfitsAndMisspellingsAreNamed) {
    const WiredMachine torus = torus_machine({4, 4});
    const WiredMachine tree = fat_tree_machine("2; 4,4; 1,4");
    const auto reason = [](const WiredMachine& machine, const std::vector<std::string>& settings) {
        try {
            routing_of(machine, settings);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(reason(torus, {"routing.policy=d-mod-k"}).find("needs a fat tree"), std::string::npos);
    EXPECT_NE(reason(tree, {"routing.policy=valiant"}).find("needs a torus"), std::string::npos);
    EXPECT_NE(reason(torus, {"routing.policy=valiand"}).find("valiant"), std::string::npos);
    EXPECT_NE(reason(tree, {"routing.policy=coloured"}).find("routing.pattern"), std::string::npos);
    EXPECT_NE(reason(tree, {"routing.policy=random", "routing.per=flit"}).find("pair, message or packet"),
              std::string::npos);
    EXPECT_NE(reason(tree, {"routing.policy=random", "routing.seed=-1"}).find("whole number"),
              std::string::npos);
    EXPECT_NE(reason(torus, {"routing.policy=ugal", "routing.view=far"}).find("local or global"),
              std::string::npos);
    EXPECT_NE(reason(torus, {"routing.policy=ugal", "routing.per=pair"}).find("message or packet"),
              std::string::npos);
    EXPECT_NE(reason(tree, {"routing.policy=s-mod-k", "routing.form=uncles"}).find("parents or children"),
              std::string::npos);
}

} // namespace
} // namespace orrery::policies_test
