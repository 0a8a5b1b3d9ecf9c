// Bounds that regular traffic must meet on regular networks.
#include "machine/topologies/cluster.h"
#include "machine/topologies/fat_tree.h"
#include "machine/topologies/torus.h"
#include "network/flow/flow_network.h"
#include "network/flow/run_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace orrery::topologies_test {
namespace {

const Cable cable{1e9, Time::us(1), Duplex::split};
constexpr Bytes size = 100'000; // 100 us alone

template <typename Make, typename Shape> Platform machine(Make make, const Shape& shape, std::uint32_t hosts) {
    std::vector<Link> links;
    auto topology = make(shape, HostNames("n", hosts, ""), links);
    return {std::vector<Host>(hosts), std::move(links), std::move(topology)};
}

Platform torus(std::uint32_t side) {
    TorusShape shape;
    shape.dimensions = {side, side};
    shape.cables = {cable, cable};
    return machine(make_torus, shape, side * side);
}

std::vector<test::Message> alltoall(std::uint32_t hosts) {
    std::vector<test::Message> messages;
    for (std::uint32_t from = 0; from < hosts; ++from) {
        for (std::uint32_t k = 1; k < hosts; ++k) {
            messages.push_back({{from}, {(from + k) % hosts}, size, Time::zero()});
        }
    }
    return messages;
}

Time last(const std::vector<Time>& times) { return *std::max_element(times.begin(), times.end()); }

// D-mod-k spreads every shift over all spines, so that nobody meets anybody.
TEST(FlowOnFatTree, EveryShiftHasFullBisection) {
    FatTreeShape shape;
    shape.down = {4, 8};
    shape.up = {1, 4};
    shape.parallel = {1, 1};
    shape.cables = {cable, cable};
    const Platform platform = machine(make_fat_tree, shape, 32);
    for (std::uint32_t shift = 1; shift < 32; ++shift) {
        std::vector<test::Message> messages;
        for (std::uint32_t i = 0; i < 32; ++i)
            messages.push_back({{i}, {(i + shift) % 32}, size, Time::zero()});
        FlowNetwork network(platform, {});
        const auto arrival = test::run(network, messages).arrival;
        for (std::uint32_t i = 0; i < 32; ++i) {
            const bool same_switch = i / 4 == (i + shift) % 32 / 4;
            ASSERT_EQ(arrival[i], Time::us(same_switch ? 102 : 104)) << "shift " << shift << " host " << i;
        }
    }
}

// With one spine of four, a shift over switches takes four times as long.
TEST(FlowOnFatTree, ATaperedTreeIsSlowerByItsTaper) {
    FatTreeShape shape;
    shape.down = {4, 8};
    shape.up = {1, 1};
    shape.parallel = {1, 1};
    shape.cables = {cable, cable};
    const Platform platform = machine(make_fat_tree, shape, 32);
    std::vector<test::Message> messages;
    for (std::uint32_t i = 0; i < 32; ++i) messages.push_back({{i}, {(i + 4) % 32}, size, Time::zero()});
    FlowNetwork network(platform, {});
    EXPECT_EQ(last(test::run(network, messages).arrival), Time::us(404));
}

TEST(FlowOnCrossbar, AlltoallFillsEveryLinkToTheEnd) {
    const Platform platform = machine(make_cluster, ClusterShape{cable, {}, {}, {}, true}, 16);
    FlowNetwork network(platform, {});
    const auto arrival = test::run(network, alltoall(16)).arrival;
    for (const Time time : arrival) EXPECT_EQ(time, Time::us(2 + 15 * 100));
    for (std::uint32_t l = 0; l < platform.link_count(); ++l) {
        EXPECT_DOUBLE_EQ(network.link_use()[l].mean_use(platform.link({l}), Time::us(1500)), 1);
    }
}

// On a ring dimension of odd length n a host's messages pass (n*n - 1)/4 links each way per n partners: each
// link carries n (n*n - 1)/8 messages of an alltoall of n*n hosts. No schedule beats the time this takes.
TEST(FlowOnTorus, AlltoallMeetsTheBisectionBound) {
    for (const std::uint32_t side : {3U, 5U, 7U}) {
        const Platform platform = torus(side);
        FlowNetwork network(platform, {});
        const Time end = last(test::run(network, alltoall(side * side)).arrival);
        const std::int64_t messages_per_link = side * (side * side - 1) / 8;
        const Time bound = Time::us(100 * messages_per_link);
        EXPECT_GE(end, bound);
        EXPECT_LE(end.seconds(), 1.35 * bound.seconds()) << side; // fair sharing leaves links idle at the end
        for (std::uint32_t l = 0; l < platform.link_count(); ++l) {
            EXPECT_NEAR(network.link_use()[l].bytes,
                        static_cast<double>(size) * static_cast<double>(messages_per_link), 1);
        }
    }
}

} // namespace
} // namespace orrery::topologies_test
