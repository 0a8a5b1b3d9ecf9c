// Every topology says how it is wired, in agreement with its own routes, with the port numbers it promises.
#include "formats/load_machine.h"
#include "machine/fabric/walks.h"
#include "machine/topologies/dragonfly.h"
#include "machine/topologies/fat_tree.h"
#include "machine/topologies/torus.h"

namespace orrery::wiring_test {
namespace {

// The node that a port leads to, as an index of switches; -1 if it is not joined.
std::int64_t switch_behind(const Fabric& fabric, std::uint32_t router, std::uint32_t port) {
    const auto out = fabric.out(NodeId{fabric.host_count() + router});
    if (port >= out.size() || out[port] == no_link) return -1;
    return std::int64_t{fabric.channel(out[port]).to.value} - fabric.host_count();
}

class WiringOfAll : public testing::TestWithParam<const char*> {};

TEST_P(WiringOfAll, JoinsWhatItsRoutesPass) {
    const auto platform = wired_platform(GetParam());
    const Fabric fabric(*platform);
    expect_sound(fabric);
    expect_walks(fabric);
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, WiringOfAll,
    testing::Values(
        "[topology]\ntype = 'crossbar'\nhosts = 5",
        "[topology]\ntype = 'cluster'\nhosts = 4\n[limiter]\nbandwidth = '2 GB/s'\n[backbone]\nbandwidth = '3 "
        "GB/s'",
        "[topology]\ntype = 'cabinets'\ncabinets = [2, 3, 1]\n[core]\nbandwidth = '5 GB/s'",
        "[topology]\ntype = 'cabinets'\ncabinets = [3]", "[topology]\ntype = 'fat-tree'\nlevels = '1; 6; 1'",
        "[topology]\ntype = 'fat-tree'\nlevels = '2; 4,3; 1,2; 1,3'",
        "[topology]\ntype = 'fat-tree'\nlevels = '3; 2,3,2; 2,2,3; 2,1,2'\n[limiter]\nbandwidth = '2 GB/s'",
        "[topology]\ntype = 'k-ary-n-tree'\nk = 3\nn = 3", "[topology]\ntype = 'torus'\ndimensions = [5]",
        "[topology]\ntype = 'torus'\ndimensions = [1, 2, 4]",
        "[topology]\ntype = 'torus'\ndimensions = [4, 3, 2]\nsimgrid_quirks = true\n[limiter]\nbandwidth = '2 "
        "GB/s'",
        "[topology]\ntype = 'torus'\ndimensions = [3, 2]\nhosts_per_router = 3",
        "[topology]\ntype = 'mesh'\ndimensions = [4, 1, 3]",
        "[topology]\ntype = 'mesh'\ndimensions = [2, 5]\nhosts_per_router = 2",
        "[topology]\ntype = 'hypercube'\ndimensions = 4",
        "[topology]\ntype = 'hypercube'\ndimensions = 3\nhosts_per_router = 2",
        "[topology]\ntype = 'hyperx'\ndimensions = [4]\nhosts_per_router = 3",
        "[topology]\ntype = 'hyperx'\ndimensions = [2, 3, 4]",
        "[topology]\ntype = 'dragonfly'\ngroups = 3\nrouters = 2\nhosts_per_router = 2\nblue = 3",
        "[topology]\ntype = 'dragonfly'\ngroups = 4\nchassis = 3\nrouters = 2\nhosts_per_router = 1\ngreen = 2",
        "[topology]\ntype = 'dragonfly'\ngroups = 1\nchassis = 1\nrouters = 1\nhosts_per_router = 2",
        "[topology]\ntype = 'dragonfly'\ngroups = 3\nrouters = 4\nhosts_per_router = 2\nsimgrid_quirks = true",
        "[topology]\ntype = 'graph'\n[[hosts]]\nnames = 'a[0-3]'\nswitch = 's'\n[[hosts]]\nnames = "
        "'b[0-3]'\nswitch = 't'\n[[switches]]\nnames = 's, t'\n[[cables]]\nfrom = 's'\nto = 't'"));

TEST(Wiring, OfFatTreesIsLevelByLevelWithTheUpPortsOfModK) {
    const auto platform = wired_platform("[topology]\ntype = 'fat-tree'\nlevels = '2; 4,3; 1,2; 1,3'");
    const Fabric fabric(*platform);
    ASSERT_NE(platform->topology().regularity().tree, nullptr);
    EXPECT_EQ(fat_tree_nodes(*platform->topology().regularity().tree, 1), 3U);
    ASSERT_EQ(fabric.switch_count(), 5U); // 3 of level 1, 2 of level 2
    EXPECT_EQ(fabric.level(NodeId{12}), 1U);
    EXPECT_EQ(fabric.level(NodeId{15}), 2U);
    EXPECT_EQ(fabric.name(NodeId{13}), "switch 1.1");
    for (std::uint32_t leaf = 0; leaf < 3; ++leaf) {
        for (std::uint32_t child = 0; child < 4; ++child) {
            EXPECT_EQ(switch_behind(fabric, leaf, child), std::int64_t{leaf * 4 + child} - 12);
        }
        for (std::uint32_t port = 0; port < 6; ++port) {
            EXPECT_EQ(switch_behind(fabric, leaf, 4 + port), 3 + port % 2);
            // At the parent: children one after another, the cables of a child side by side.
            const Channel& up = fabric.channel(fabric.out(NodeId{12 + leaf})[4 + port]);
            EXPECT_EQ(up.to_port, leaf * 3 + port / 2);
        }
    }
}

TEST(Wiring, OfATorusHasTwoPortsPerDimensionAndTheHostBehind) {
    const auto platform = wired_platform("[topology]\ntype = 'torus'\ndimensions = [4, 2]");
    const Fabric fabric(*platform);
    ASSERT_TRUE(platform->topology().regularity().grid);
    EXPECT_EQ(platform->topology().regularity().grid->joined, Joined::in_rings);
    EXPECT_EQ(switch_behind(fabric, 1, 0), 2);
    EXPECT_EQ(switch_behind(fabric, 1, 1), 0);
    EXPECT_EQ(switch_behind(fabric, 0, 1), 3);
    EXPECT_EQ(switch_behind(fabric, 1, 2), 5); // one cable in a dimension of two
    EXPECT_EQ(switch_behind(fabric, 1, 3), -1);
    EXPECT_EQ(switch_behind(fabric, 5, 2), -1);
    EXPECT_EQ(switch_behind(fabric, 5, 3), 1);
    for (std::uint32_t host = 0; host < 8; ++host) {
        EXPECT_EQ(fabric.channel(fabric.injection_channel({host})).to, NodeId{8 + host});
        EXPECT_EQ(fabric.channel(fabric.injection_channel({host})).to_port, 4U);
    }
}

TEST(Wiring, OfAMeshEndsAtItsEdges) {
    const auto platform =
        wired_platform("[topology]\ntype = 'mesh'\ndimensions = [3, 3]\nhosts_per_router = 2");
    const Fabric fabric(*platform);
    EXPECT_EQ(platform->topology().regularity().grid->joined, Joined::in_lines);
    EXPECT_EQ(switch_behind(fabric, 0, 0), 1);
    EXPECT_EQ(switch_behind(fabric, 0, 1), -1);
    EXPECT_EQ(switch_behind(fabric, 2, 0), -1);
    EXPECT_EQ(switch_behind(fabric, 8, 3), 5);
    EXPECT_EQ(switch_behind(fabric, 4, 4), 8 - 18); // hosts 8 and 9
    EXPECT_EQ(switch_behind(fabric, 4, 5), 9 - 18);
    EXPECT_EQ(fabric.injection_channel({0}), no_link);
}

TEST(Wiring, OfAHypercubeFlipsTheDigitOfThePort) {
    const auto platform = wired_platform("[topology]\ntype = 'hypercube'\ndimensions = 3");
    const Fabric fabric(*platform);
    ASSERT_TRUE(platform->topology().regularity().grid);
    EXPECT_EQ(platform->topology().regularity().grid->joined, Joined::by_digits);
    for (std::uint32_t router = 0; router < 8; ++router) {
        for (std::uint32_t digit = 0; digit < 3; ++digit) {
            EXPECT_EQ(switch_behind(fabric, router, digit), router ^ (1U << digit));
        }
        EXPECT_EQ(fabric.channel(fabric.ejection_channel({router})).from_port, 3U);
    }
}

TEST(Wiring, OfHyperXHasAPortForEachOtherCoordinate) {
    const auto platform =
        wired_platform("[topology]\ntype = 'hyperx'\ndimensions = [3, 4]\nhosts_per_router = 2");
    const Fabric fabric(*platform);
    ASSERT_TRUE(platform->topology().regularity().grid);
    EXPECT_EQ(platform->topology().regularity().grid->joined, Joined::all_to_all);
    // Router 4 is (1, 1): 3 and 5 in its row; 1, 7, 10 in its column; then the hosts 8 and 9.
    const std::vector<std::int64_t> expected{3, 5, 1, 7, 10, 8 - 24, 9 - 24};
    for (std::uint32_t port = 0; port < expected.size(); ++port) {
        EXPECT_EQ(switch_behind(fabric, 4, port), expected[port]) << port;
    }
}

TEST(Wiring, OfADragonflyIsAsItsPlanSays) {
    const auto platform = wired_platform(
        "[topology]\ntype = 'dragonfly'\ngroups = 4\nchassis = 2\nrouters = 3\nhosts_per_router = 2\nblue = 3");
    const Fabric fabric(*platform);
    ASSERT_NE(platform->topology().regularity().groups, nullptr);
    const DragonflyPlan plan(*platform->topology().regularity().groups);
    EXPECT_EQ(fabric.switch_count(), plan.router_count());
    for (std::uint32_t router = 0; router < plan.router_count(); ++router) {
        const std::uint32_t group = plan.group_of(router);
        for (std::uint32_t place = 0; place < 3; ++place) {
            if (place == plan.place_of(router)) continue;
            EXPECT_EQ(switch_behind(fabric, router, plan.green_port(router, place)),
                      plan.router_at(group, plan.chassis_of(router), place));
        }
        const std::uint32_t other = 1 - plan.chassis_of(router);
        EXPECT_EQ(switch_behind(fabric, router, plan.black_port(router, other)),
                  plan.router_at(group, other, plan.place_of(router)));
    }
    for (std::uint32_t a = 0; a < 4; ++a) {
        for (std::uint32_t b = 0; b < 4; ++b) {
            for (std::uint32_t copy = 0; a != b && copy < plan.copies(); ++copy) {
                const auto end = plan.blue_end(a, b, copy);
                EXPECT_EQ(switch_behind(fabric, end.router, end.port), plan.blue_end(b, a, copy).router);
            }
        }
    }
}

TEST(Wiring, OfAGraphKeepsThePortsOfTheFile) {
    const auto platform = wired_platform("[topology]\ntype = 'graph'\n[[hosts]]\nnames = 'a, b'\nswitch = 's'\n"
                                         "[[switches]]\nnames = 's, t'\nlevel = 2\n"
                                         "[[cables]]\nfrom = 's'\nto = 't'\nfrom_port = 0\nto_port = 7");
    const Fabric fabric(*platform);
    EXPECT_EQ(switch_behind(fabric, 0, 0), 1);
    EXPECT_EQ(switch_behind(fabric, 0, 1), -2); // host a takes the lowest free port
    EXPECT_EQ(switch_behind(fabric, 1, 7), 0);
    EXPECT_EQ(switch_behind(fabric, 1, 0), -1);
    EXPECT_EQ(fabric.level(NodeId{2}), 2U);
}

TEST(Wiring, SaysWhatPacketsDoNotSee) {
    const auto platform =
        wired_platform("[topology]\ntype = 'cluster'\nhosts = 4\n[limiter]\nbandwidth = '2 GB/s'"
                       "\n[backbone]\nbandwidth = '3 GB/s'");
    EXPECT_EQ(Fabric(*platform).left_out().size(), 2U);
    EXPECT_TRUE(Fabric(*wired_platform("[topology]\ntype = 'crossbar'\nhosts = 4")).left_out().empty());
}

TEST(Wiring, RefusesCablesThatShareBothDirectionsAndTwoCablesOnAPort) {
    EXPECT_THROW(Fabric(*wired_platform("sharing = 'shared'\n[topology]\ntype = 'crossbar'\nhosts = 4")),
                 InputError);
    EXPECT_THROW(
        Fabric(*wired_platform("[topology]\ntype = 'graph'\n[[hosts]]\nnames = 'a, b'\n"
                               "[[switches]]\nnames = 's'\n[[cables]]\nfrom = 'a'\nto = 's'\nto_port = 1\n"
                               "[[cables]]\nfrom = 'b'\nto = 's'\nto_port = 1")),
        InputError);
}

constexpr const char* simgrid_tree =
    "<?xml version='1.0'?><platform version='4.1'><zone id='w' routing='Full'><cluster id='c' prefix='n' "
    "suffix='' "
    "radical='0-7' speed='1Gf' bw='1GBps' lat='1us' topology='FAT_TREE' topo_parameters='2;4,2;1,2;1,1'/>"
    "</zone></platform>";

TEST(Wiring, OfASimGridPlatformOfOneClusterIsThatOfTheCluster) {
    const Machine machine = machine_from_text(simgrid_tree, "tree.xml");
    const Fabric fabric(*machine.platform);
    EXPECT_NE(machine.platform->topology().regularity().tree, nullptr);
    EXPECT_FALSE(machine.platform->topology().regularity().own_routes);
    EXPECT_EQ(fabric.switch_count(), 4U);
    expect_sound(fabric);
    expect_walks(fabric);
    const Machine pair = machine_from_text(
        "<?xml version='1.0'?><platform version='4.1'><zone id='w' routing='Full'><host id='a' speed='1Gf'/>"
        "<host id='b' speed='1Gf'/><link id='l' bandwidth='1GBps' latency='1us'/><route src='a' dst='b'>"
        "<link_ctn id='l'/></route></zone></platform>",
        "pair.xml");
    EXPECT_THROW(Fabric(*pair.platform), InputError);
}

} // namespace
} // namespace orrery::wiring_test
