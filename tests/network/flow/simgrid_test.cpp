// Times that SimGrid 3.32 gives for the same flows (its replay of an incast: everybody sends to host 0, in
// three rounds of growing messages; a round begins when the one before has ended). Only the network is compared
// here.
#include "machine/topologies/cluster.h"
#include "network/flow/flow_network.h"
#include "network/flow/run_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace orrery::simgrid_test {
namespace {

Platform gigabit(Duplex duplex, std::optional<Cable> backbone = {}) {
    std::vector<Link> links;
    ClusterShape shape;
    shape.cable = {125e6, Time::us(50), duplex};
    shape.backbone = backbone;
    auto topology = make_cluster(shape, HostNames("n", 16, ""), links);
    return {std::vector<Host>(16), std::move(links), std::move(topology)};
}

FlowParameters smpi(const char* cross_traffic) {
    Settings settings;
    settings.set("flow.set", "smpi", "test");
    settings.set("network/crosstraffic", cross_traffic, "test");
    return read_flow_parameters(settings);
}

// When the last message of hosts 1 to 7 has arrived at host 0, in seconds.
std::vector<double> incast(const Platform& platform, const FlowParameters& parameters) {
    FlowNetwork network(platform, parameters);
    Time begin;
    std::vector<Time> arrival;
    for (const Bytes unit : {Bytes{1000}, Bytes{100'000}, Bytes{2'000'000}}) {
        std::vector<test::Message> round;
        for (std::uint32_t i = 1; i < 8; ++i) round.push_back({{i}, {0}, unit * i + 16, begin}); // 16: envelope
        arrival = test::run(network, round).arrival;
        begin = *std::max_element(arrival.begin(), arrival.end());
    }
    std::vector<double> seconds;
    for (const Time time : arrival) seconds.push_back(time.seconds());
    return seconds;
}

void expect_near(const std::vector<double>& ours, const std::vector<double>& simgrid) {
    for (std::size_t i = 0; i < simgrid.size(); ++i) EXPECT_NEAR(ours[i] / simgrid[i], 1, 1e-6) << i;
}

TEST(FlowAgainstSimGrid, IncastWithoutCrossTraffic) {
    expect_near(incast(gigabit(Duplex::split), smpi("no")),
                {0.145643939056096, 0.247696253623852, 0.332739849096981, 0.400774725475485, 0.451800882759362,
                 0.485818320948614, 0.50282704004324});
}

TEST(FlowAgainstSimGrid, IncastOnSharedCablesWithCrossTraffic) {
    expect_near(incast(gigabit(Duplex::shared), smpi("yes")),
                {0.152801646258901, 0.259956576555044, 0.34925235180183, 0.420688971999259, 0.47426643714733,
                 0.509984747246045, 0.527843902295402});
}

TEST(FlowAgainstSimGrid, IncastOverABackboneWithCrossTraffic) {
    expect_near(incast(gigabit(Duplex::split, Cable{2.25e9, Time::us(500), Duplex::shared}), smpi("yes")),
                {0.158256118655535, 0.26030843322329, 0.34535202869642, 0.413386905074923, 0.464413062358801,
                 0.498430500548053, 0.515439219642679});
}

} // namespace
} // namespace orrery::simgrid_test
