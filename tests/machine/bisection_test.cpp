// The search for a narrow cut, against the closed forms of regular networks.
#include "machine/bisection.h"
#include "machine/routing/fabrics.h"

#include <gtest/gtest.h>

namespace orrery::bisection_test {
namespace {

TEST(BisectionSearch, FindsWhatTheShapeSays) {
    for (const WiredMachine& machine :
         {fat_tree_machine("2; 4,4; 1,4"), fat_tree_machine("2; 8,4; 1,2"), fat_tree_machine("3; 4,2,4; 1,2,2"),
          torus_machine({4, 8}), torus_machine({8, 4}), torus_machine({4, 4, 6}), torus_machine({6, 4}, false),
          hypercube_machine(5), dragonfly_machine(6, 1, 4, 1, 1), crossbar_machine(8)}) {
        SCOPED_TRACE(machine.platform->topology().words());
        const auto found = find_bisection(*machine.fabric);
        ASSERT_TRUE(found);
        const double shape = machine.platform->topology().bisection().value_or(0);
        EXPECT_GT(found->bandwidth, 0);
        EXPECT_DOUBLE_EQ(found->bandwidth, shape);
        std::uint32_t second = 0;
        for (std::uint32_t host = 0; host < machine.platform->host_count(); ++host)
            second += found->second_side[host] ? 1U : 0U;
        EXPECT_EQ(second, machine.platform->host_count() / 2);
    }
}

TEST(BisectionSearch, SeesANarrowPlaceInAGraph) {
    // Two full quads of switches joined by one cable.
    const WiredMachine machine = graph_machine(8, 2,
                                               {{0, 1},
                                                {0, 2},
                                                {0, 3},
                                                {1, 2},
                                                {1, 3},
                                                {2, 3},
                                                {4, 5},
                                                {4, 6},
                                                {4, 7},
                                                {5, 6},
                                                {5, 7},
                                                {6, 7},
                                                {3, 4}});
    const auto found = find_bisection(*machine.fabric);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cables, 1U);
    EXPECT_EQ(found->bandwidth, 1e9);
    EXPECT_FALSE(find_bisection(*machine.fabric, 10));
}

// Each cable as a neighbour of its own would take hours.
TEST(BisectionSearch, ThousandsOfParallelCablesAreOne) {
    const WiredMachine machine = dragonfly_machine(4, 1, 2, 2, 16384);
    const auto found = find_bisection(*machine.fabric);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cables, 8U); // none of the bundles
}

TEST(BisectionSearch, NamesAHostThatIsNotJoined) {
    EXPECT_FALSE(unreached_host(*ring_machine(5).fabric));
    EXPECT_EQ(unreached_host(*graph_machine(4, 2, {{0, 1}, {2, 3}}).fabric), HostId{4});
}

} // namespace
} // namespace orrery::bisection_test
