// Meshes, HyperX and several hosts on a router: lengths of routes by formula, and what flows see.
#include "engine/error.h"
#include "machine/topologies/named_links.h"

#include <cstdlib>

namespace orrery::mesh_test {
namespace {

using Names = std::vector<std::string>;

TEST(Mesh, RoutesNeverGoRound) {
    const auto platform = platform_of("[topology]\ntype = 'mesh'\ndimensions = [5, 4, 2]");
    const std::vector<int> sizes{5, 4, 2};
    for (std::uint32_t a = 0; a < platform->host_count(); ++a) {
        for (std::uint32_t b = 0; b < platform->host_count(); ++b) {
            if (a == b) continue;
            int length = 0;
            int x = static_cast<int>(a);
            int y = static_cast<int>(b);
            for (const int size : sizes) {
                length += std::abs(x % size - y % size);
                x /= size;
                y /= size;
            }
            ASSERT_EQ(names_of_route(*platform, a, b).size(), static_cast<std::size_t>(length));
            ASSERT_TRUE(joins(*platform, a, b));
        }
    }
    EXPECT_EQ(platform->topology().words(), "mesh 5 x 4 x 2");
    EXPECT_EQ(platform->topology().bisection(), 8e9); // across the first dimension; 10 and 20 across the others
}

TEST(HostsOnRouters, SeveralHostsOnARouterHaveCablesOfTheirOwn) {
    const auto platform = platform_of("[link.node]\nbandwidth = '2 GB/s'\n[topology]\ntype = 'torus'\n"
                                      "dimensions = [3, 3]\nhosts_per_router = 2");
    EXPECT_EQ(platform->host_count(), 18U);
    EXPECT_EQ(names_of_route(*platform, 0, 1), (Names{"n0 up", "n1 down"}));
    EXPECT_EQ(names_of_route(*platform, 1, 4), (Names{"n1 up", "router 0 to router 2", "n4 down"}));
    std::vector<LinkId> links;
    platform->route({0}, {1}, links);
    EXPECT_EQ(platform->link(links[0]).bandwidth, 2e9);
}

TEST(HostsOnRouters, OneHostOnARouterHasACableIfItsKindIsGiven) {
    const std::string keys = "[topology]\ntype = 'torus'\ndimensions = [4]\n";
    EXPECT_EQ(names_of_route(*platform_of(keys), 0, 1), (Names{"n0 to n1"}));
    EXPECT_EQ(names_of_route(*platform_of("[link.node]\nlatency = '5 us'\n" + keys), 0, 1),
              (Names{"n0 up", "router 0 to router 1", "n1 down"}));
}

TEST(HostsOnRouters, OfAHypercube) {
    const auto platform = platform_of("[topology]\ntype = 'hypercube'\ndimensions = 3\nhosts_per_router = 2");
    EXPECT_EQ(platform->host_count(), 16U);
    EXPECT_EQ(names_of_route(*platform, 0, 15), (Names{"n0 up", "router 0 to router 1", "router 1 to router 3",
                                                       "router 3 to router 7", "n15 down"}));
}

TEST(HyperX, OneCableForEachCoordinateThatDiffers) {
    const auto platform =
        platform_of("[topology]\ntype = 'hyperx'\ndimensions = [4, 3, 2]\nhosts_per_router = 2");
    EXPECT_EQ(platform->host_count(), 48U);
    // 24 routers: rows of 4 have 6 cables each, columns of 3 have 3, pairs 1; two links each, loopbacks apart.
    EXPECT_EQ(platform->link_count(), 48 + 2 * (48 + 6 * 6 + 8 * 3 + 12 * 1));
    for (std::uint32_t a = 0; a < 48; ++a) {
        for (std::uint32_t b = 0; b < 48; ++b) {
            if (a == b) continue;
            const std::uint32_t x = a / 2;
            const std::uint32_t y = b / 2;
            const std::size_t differ =
                (x % 4 != y % 4 ? 1 : 0) + (x / 4 % 3 != y / 4 % 3 ? 1 : 0) + (x / 12 != y / 12 ? 1 : 0);
            ASSERT_EQ(names_of_route(*platform, a, b).size(), 2 + differ);
        }
    }
    EXPECT_EQ(names_of_route(*platform, 0, 46), (Names{"n0 up", "router 0 to router 3", "router 3 to router 11",
                                                       "router 11 to router 23", "n46 down"}));
    EXPECT_EQ(names_of_route(*platform, 46, 0),
              (Names{"n46 up", "router 23 to router 20", "router 20 to router 12", "router 12 to router 0",
                     "n0 down"}));
    // Across the dimension of two: 12 cables; across that of three: 8 rows x 2; across that of four: 6 rows
    // x 4.
    EXPECT_EQ(platform->topology().bisection(), 12e9);
}

TEST(KAryNTree, IsAFatTree) {
    const auto tree = platform_of("[topology]\ntype = 'k-ary-n-tree'\nk = 4\nn = 3");
    const auto same = platform_of("[topology]\ntype = 'fat-tree'\nlevels = 'XGFT(3; 4,4,4; 1,4,4)'");
    EXPECT_EQ(tree->topology().words(), same->topology().words());
    EXPECT_EQ(names_of_route(*tree, 3, 60), names_of_route(*same, 3, 60));
    EXPECT_THROW(platform_of("[topology]\ntype = 'k-ary-n-tree'\nk = 4"), InputError);
    EXPECT_THROW(platform_of("[topology]\ntype = 'k-ary-n-tree'\nk = 4\nn = 65"), InputError);
    EXPECT_THROW(platform_of("[topology]\ntype = 'k-ary-n-tree'\nk = 1000\nn = 9"), InputError);
}

TEST(GraphThroughHosts, MessagesPassOtherHostsOnlyIfTheyMay) {
    const std::string keys = "[[hosts]]\nnames = 'a, b, c'\n[[switches]]\nnames = 's, t, u'\n"
                             "[[cables]]\nfrom = 'a'\nto = 's'\n[[cables]]\nfrom = 'b'\nto = 's'\n"
                             "[[cables]]\nfrom = 'b'\nto = 't'\n[[cables]]\nfrom = 'c'\nto = 't'\n"
                             "[[cables]]\nfrom = 's'\nto = 'u'\n[[cables]]\nfrom = 'u'\nto = 't'\n";
    const auto through = platform_of("[topology]\ntype = 'graph'\n" + keys);
    EXPECT_EQ(names_of_route(*through, 0, 2)[1], "b-s (s to b)");
    const auto around = platform_of("[topology]\ntype = 'graph'\nthrough_hosts = false\n" + keys);
    EXPECT_EQ(names_of_route(*around, 0, 2)[1], "s-u (s to u)");
    EXPECT_EQ(names_of_route(*around, 0, 1).size(), 2U);
}

} // namespace
} // namespace orrery::mesh_test
