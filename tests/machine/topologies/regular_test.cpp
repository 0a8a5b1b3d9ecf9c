// Regular topologies: lengths of routes by formula, and that links join; what SimGrid has too is compared with
// it in tests/formats/simgrid/routes_test.cpp.
#include "machine/topologies/named_links.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace orrery::regular_test {
namespace {

using Names = std::vector<std::string>;

TEST(Crossbar, OwnCableUpTheOthersDown) {
    const auto platform = platform_of("[topology]\ntype = 'crossbar'\nhosts = 4");
    EXPECT_EQ(platform->link_count(), 12U); // with loopbacks
    EXPECT_EQ(names_of_route(*platform, 1, 3), (Names{"n1 up", "n3 down"}));
    EXPECT_EQ(names_of_route(*platform, 2, 2), (Names{"n2 loopback"}));
    EXPECT_EQ(platform->topology().bisection(), 2e9);
}

TEST(Cluster, LimiterBackboneAndNoLoopback) {
    const auto platform =
        platform_of("[topology]\ntype = 'cluster'\nhosts = 4\n[limiter]\nbandwidth = '2 GB/s'\n"
                    "[backbone]\nbandwidth = '3 GB/s'\n[loopback]\nbandwidth = 'none'");
    EXPECT_EQ(names_of_route(*platform, 0, 1),
              (Names{"n0 limiter", "n0 up", "backbone", "n1 down", "n1 limiter"}));
    EXPECT_EQ(names_of_route(*platform, 0, 0), (Names{"n0 limiter", "n0 up", "backbone", "n0 down"}));
    EXPECT_EQ(platform->topology().bisection(), 2e9);
}

TEST(Cluster, SharedCablesAreOneLink) {
    const auto platform = platform_of("sharing = 'shared'\n[topology]\ntype = 'cluster'\nhosts = 3");
    EXPECT_EQ(platform->link_count(), 6U);
    EXPECT_EQ(names_of_route(*platform, 0, 1), (Names{"n0", "n1"}));
    EXPECT_EQ(names_of_route(*platform, 1, 0), (Names{"n1", "n0"}));
}

TEST(Cabinets, UplinksBetweenThem) {
    const auto platform = platform_of("[topology]\ntype = 'cabinets'\ncabinets = [2, 3]\n"
                                      "[uplink]\nbandwidth = '10 GB/s'\n[core]\nbandwidth = '5 GB/s'");
    EXPECT_EQ(platform->host_count(), 5U);
    EXPECT_EQ(names_of_route(*platform, 0, 1), (Names{"n0 up", "n1 down"}));
    EXPECT_EQ(names_of_route(*platform, 1, 4),
              (Names{"n1 up", "cabinet 1 up", "core", "cabinet 2 down", "n4 down"}));
    EXPECT_EQ(names_of_route(*platform, 4, 1),
              (Names{"n4 up", "cabinet 2 up", "core", "cabinet 1 down", "n1 down"}));
}

TEST(Torus, TheShorterWayRoundDimensionByDimension) {
    const auto platform = platform_of("[topology]\ntype = 'torus'\ndimensions = [5, 4, 2, 3]");
    const std::vector<std::uint32_t> sizes{5, 4, 2, 3};
    for (std::uint32_t a = 0; a < platform->host_count(); ++a) {
        for (std::uint32_t b = 0; b < platform->host_count(); ++b) {
            if (a == b) continue;
            std::uint32_t length = 0;
            std::uint32_t stride = 1;
            for (const std::uint32_t size : sizes) {
                const std::uint32_t ahead = (b / stride % size + size - a / stride % size) % size;
                length += std::min(ahead, size - ahead);
                stride *= size;
            }
            ASSERT_EQ(names_of_route(*platform, a, b).size(), length) << a << " " << b;
            ASSERT_TRUE(joins(*platform, a, b)) << a << " " << b;
        }
    }
    EXPECT_EQ(names_of_route(*platform, 5, 15),
              (Names{"n5 to n10", "n10 to n15"})); // a tie: the positive direction
    EXPECT_EQ(names_of_route(*platform, 10, 0), (Names{"n10 to n15", "n15 to n0"}));
    EXPECT_EQ(platform->topology().bisection(), 48e9); // across the first dimension: 24 rings, two cables each
}

TEST(Hypercube, OneLinkPerDifferingDigit) {
    const auto platform = platform_of("[topology]\ntype = 'hypercube'\ndimensions = 5");
    EXPECT_EQ(platform->host_count(), 32U);
    std::set<std::string> used;
    for (std::uint32_t a = 0; a < 32; ++a) {
        for (std::uint32_t b = 0; b < 32; ++b) {
            if (a == b) continue;
            const Names names = names_of_route(*platform, a, b);
            ASSERT_EQ(names.size(), static_cast<std::size_t>(std::popcount(a ^ b)));
            ASSERT_TRUE(joins(*platform, a, b));
            used.insert(names.begin(), names.end());
        }
    }
    EXPECT_EQ(used.size(), 32U * 5);
    EXPECT_EQ(platform->topology().bisection(), 16e9);
}

// On a full tree, D-mod-k gives each of n messages a way of its own if all go to the host so many places
// further on.
TEST(FatTree, ShiftPermutationsMeetNobody) {
    for (const char* levels :
         {"2; 4,8; 1,4; 1,1", "3; 4,4,4; 1,4,4; 1,1,1", "2; 6,4; 1,3; 1,2", "XGFT(2; 4,4; 1,4)"}) {
        const auto platform =
            platform_of(std::string("[topology]\ntype = 'fat-tree'\nlevels = '") + levels + "'");
        const std::uint32_t hosts = platform->host_count();
        for (std::uint32_t shift = 1; shift < hosts; ++shift) {
            std::vector<std::uint32_t> load(platform->link_count());
            std::vector<LinkId> links;
            for (std::uint32_t from = 0; from < hosts; ++from) {
                links.clear();
                platform->route({from}, {(from + shift) % hosts}, links);
                for (const LinkId link : links)
                    ASSERT_LE(++load[link.index()], 1U) << levels << " shift " << shift;
            }
        }
    }
}

TEST(FatTree, LevelsMayDiffer) {
    const auto platform = platform_of("[link.level2]\nbandwidth = '4 GB/s'\nlatency = '3 us'\n"
                                      "[topology]\ntype = 'fat-tree'\nlevels = '2; 4,4; 1,2; 1,1'");
    std::vector<LinkId> links;
    platform->route({0}, {15}, links);
    ASSERT_EQ(links.size(), 4U);
    EXPECT_EQ(platform->link(links[0]).bandwidth, 1e9);
    EXPECT_EQ(platform->link(links[1]).bandwidth, 4e9);
    EXPECT_EQ(platform->link(links[2]).latency, Time::us(3));
    EXPECT_EQ(platform->topology().bisection(), 8e9);
}

} // namespace
} // namespace orrery::regular_test
