// Times that can be computed by hand.
#include "network/flow/flow_network.h"

#include "network/flow/run_messages.h"
#include "network/flow/test_platforms.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::flow_network_test {
namespace {

using test::Message;

const Link gigabyte{1e9, Time::us(10), Sharing::shared}; // 1 ns per byte

FlowParameters smpi() {
    Settings settings;
    settings.set("flow.set", "smpi", "test");
    return read_flow_parameters(settings);
}

std::vector<Time> arrivals(const Platform& platform, const std::vector<Message>& messages,
                           const FlowParameters& parameters = {}) {
    FlowNetwork network(platform, parameters);
    return test::run(network, messages).arrival;
}

TEST(FlowNetwork, OneFlowTakesLatencyAndBandwidth) {
    const Platform platform = test::crossbar(2, gigabyte);
    const auto when = arrivals(platform, {{{0}, {1}, 1'000'000, Time::us(3)}});
    EXPECT_EQ(when[0], Time::us(3 + 20 + 1000));
}

TEST(FlowNetwork, FactorsOfTheSize) {
    const Platform platform = test::crossbar(2, gigabyte);
    for (const Bytes bytes : {Bytes{1}, Bytes{257}, Bytes{258}, Bytes{65472}, Bytes{65473}}) {
        const FlowParameters parameters = smpi();
        const double lf = FlowParameters::factor(parameters.latency_factor, bytes);
        const double bwf = FlowParameters::factor(parameters.bandwidth_factor, bytes);
        const auto when = arrivals(platform, {{{0}, {1}, bytes, Time::zero()}}, parameters);
        EXPECT_NEAR(static_cast<double>(when[0].ps()), 20e6 * lf + static_cast<double>(bytes) * 1e3 / bwf, 1);
    }
    EXPECT_EQ(FlowParameters::factor(smpi().latency_factor, 257), 2.01467); // the thresholds are strict
    EXPECT_EQ(FlowParameters::factor(smpi().latency_factor, 258), 1.95341);
}

TEST(FlowNetwork, FlowsOnALinkTakeTurnsFairly) {
    const Platform platform = test::crossbar(5, gigabyte);
    std::vector<Message> messages;
    for (std::uint32_t i = 1; i < 5; ++i) messages.push_back({{0}, {i}, Bytes{1000} * i, Time::zero()});
    const auto when = arrivals(platform, messages);
    // The k-th leaves when each of the remaining ones has sent as much: 4000, 7000, 9000, 10000 bytes in all.
    EXPECT_EQ(when[0], Time::us(20) + Time::ns(4000));
    EXPECT_EQ(when[1], Time::us(20) + Time::ns(7000));
    EXPECT_EQ(when[2], Time::us(20) + Time::ns(9000));
    EXPECT_EQ(when[3], Time::us(20) + Time::ns(10000));
}

TEST(FlowNetwork, AnArrivalInTheMiddleSlowsTheOther) {
    const Platform platform = test::crossbar(3, gigabyte);
    // The first is alone for 400 ns, then both have half; the second ends when the first is long gone.
    const auto when = arrivals(platform, {{{0}, {1}, 1000, Time::zero()}, {{0}, {2}, 1000, Time::ns(400)}});
    EXPECT_EQ(when[0], Time::us(20) + Time::ns(400 + 1200));
    EXPECT_EQ(when[1], Time::us(20) + Time::ns(2000));
}

TEST(FlowNetwork, ParkingLot) {
    const Platform platform = test::chain({gigabyte, gigabyte, gigabyte});
    const auto when = arrivals(platform, {{{0}, {3}, 1'000'000, Time::us(0)}, // all the way
                                          {{0}, {1}, 1'000'000, Time::us(20)},
                                          {{1}, {2}, 1'000'000, Time::us(20)},
                                          {{2}, {3}, 1'000'000, Time::us(20)}});
    for (const Time time : when) EXPECT_EQ(time, Time::us(30 + 2000));
}

TEST(FlowNetwork, CrossTrafficCostsBothDirections) {
    const Platform platform = test::crossbar(2, gigabyte);
    FlowParameters parameters;
    parameters.cross_traffic = 0.05;
    const auto alone = arrivals(platform, {{{0}, {1}, 1'000'000, Time::zero()}}, parameters);
    EXPECT_EQ(alone[0], Time::us(20 + 1000));
    const auto both = arrivals(
        platform, {{{0}, {1}, 1'000'000, Time::zero()}, {{1}, {0}, 1'000'000, Time::zero()}}, parameters);
    EXPECT_EQ(both[0], Time::us(20 + 1050));
    EXPECT_EQ(both[1], Time::us(20 + 1050));
}

TEST(FlowNetwork, OneLinkForBothDirectionsCarriesItsOwnAcknowledgements) {
    const Platform platform = test::bus(2, gigabyte);
    FlowParameters parameters;
    parameters.cross_traffic = 0.05;
    const auto when = arrivals(platform, {{{0}, {1}, 1'000'000, Time::zero()}}, parameters);
    EXPECT_EQ(when[0], Time::us(10 + 1050));
}

TEST(FlowNetwork, FatPipeIsNotShared) {
    const Platform platform = test::bus(4, {1e9, Time::us(10), Sharing::fat_pipe});
    const auto when =
        arrivals(platform, {{{0}, {1}, 1000, Time::zero()}, {{2}, {3}, 1000, Time::zero()}}, smpi());
    EXPECT_EQ(when[0], when[1]);
    EXPECT_EQ(when[0], arrivals(platform, {{{0}, {1}, 1000, Time::zero()}}, smpi())[0]);
}

// A flow's right to a link falls with its latency: 1 / (L + S * sum 1/bw).
TEST(FlowNetwork, WeightsByLatency) {
    const Link near{1e12, Time::us(10), Sharing::shared};
    const Link far{1e12, Time::us(50), Sharing::shared};
    const Link shared{1e9, Time::us(10), Sharing::shared};
    const Platform platform = test::platform_of(4, {near, far, shared}, [](std::uint32_t from, std::uint32_t) {
        return std::vector<std::uint32_t>{from == 0 ? 0U : 1U, 2U};
    });
    FlowParameters parameters;
    parameters.equal_weights = false;
    const auto when =
        arrivals(platform, {{{0}, {2}, 750'000, Time::us(40)}, {{1}, {3}, 250'000, Time::zero()}}, parameters);
    // Both enter at 60 us; L = 20 and 60 us: three quarters and a quarter of the link.
    EXPECT_EQ(when[0], Time::us(60 + 1000));
    EXPECT_EQ(when[1], Time::us(60 + 1000));
}

TEST(FlowNetwork, WindowBoundsALongRoute) {
    const Platform platform = test::crossbar(2, gigabyte);
    FlowParameters parameters;
    parameters.tcp_gamma = 20000; // per 2 * 20 us: 5e8 bytes per second
    const auto when = arrivals(platform, {{{0}, {1}, 1'000'000, Time::zero()}}, parameters);
    EXPECT_EQ(when[0], Time::us(20 + 2000));
}

TEST(FlowNetwork, WithoutContentionNobodyWaits) {
    const Platform platform = test::crossbar(3, gigabyte);
    FlowParameters parameters;
    parameters.contention = false;
    const auto when = arrivals(
        platform, {{{0}, {1}, 1'000'000, Time::zero()}, {{0}, {2}, 1'000'000, Time::zero()}}, parameters);
    EXPECT_EQ(when[0], Time::us(1020));
    EXPECT_EQ(when[1], Time::us(1020));
}

TEST(FlowNetwork, MessagesWithoutBytesWithoutLinksWithoutLatency) {
    const Platform platform = test::crossbar(2, gigabyte);
    const auto when = arrivals(platform, {{{0}, {1}, 0, Time::us(1)}, {{1}, {1}, 5000, Time::us(2)}});
    EXPECT_EQ(when[0], Time::us(21));
    EXPECT_EQ(when[1], Time::us(2));
    const Platform quick = test::crossbar(2, {1e9, Time::zero(), Sharing::shared});
    EXPECT_EQ(arrivals(quick, {{{0}, {1}, 1000, Time::us(1)}}, smpi())[0],
              Time::us(1) + Time::from_ps(1000e3 / 0.341987));
}

TEST(FlowNetwork, AllOfAnInstantArriveBySourceHostAndThenInTheOrderOfItsStarts) {
    const Platform platform = test::crossbar(8, gigabyte);
    std::vector<Message> messages;
    for (std::uint32_t i = 0; i < 8; ++i) {
        messages.push_back({{7 - i}, {(8 - i) % 8}, 5000, Time::zero()});
        messages.push_back({{7 - i}, {(9 - i) % 8}, 5000, Time::zero()});
    }
    FlowNetwork network(platform, {});
    const auto outcome = test::run(network, messages);
    ASSERT_EQ(outcome.arrival.front(), outcome.arrival.back());
    for (std::uint32_t i = 0; i < 8; ++i) {
        EXPECT_EQ(outcome.order[2 * i], 2 * (7 - i));
        EXPECT_EQ(outcome.order[2 * i + 1], 2 * (7 - i) + 1);
    }
}

TEST(FlowNetwork, LatencyOfAControlMessage) {
    const Platform platform = test::crossbar(2, gigabyte);
    FlowNetwork plain(platform, {});
    EXPECT_EQ(plain.latency({0}, {1}), Time::us(20));
    EXPECT_EQ(plain.latency({1}, {1}), Time::zero());
}

TEST(FlowNetwork, CountsWhatLinksCarry) {
    const Platform platform = test::crossbar(3, gigabyte);
    FlowParameters parameters;
    parameters.cross_traffic = 0.05;
    FlowNetwork network(platform, parameters);
    test::run(network, {{{0}, {1}, 1'000'000, Time::zero()}, {{0}, {2}, 500'000, Time::zero()}});
    const auto use = network.link_use();
    EXPECT_DOUBLE_EQ(use[0].bytes, 1'500'000);
    EXPECT_DOUBLE_EQ(use[1].bytes, 0); // only acknowledgements come down to host 0
    EXPECT_DOUBLE_EQ(use[1].occupied, 75'000);
    EXPECT_DOUBLE_EQ(use[3].bytes, 1'000'000);
    EXPECT_DOUBLE_EQ(use[0].mean_use(platform.link({0}), Time::us(1500)), 1.0);
}

} // namespace
} // namespace orrery::flow_network_test
