// Times that can be computed by hand, the state at intermediate points, and agreement with other networks.
#include "network/kpacket/kpacket_network.h"

#include "network/flow/flow_network.h"
#include "network/flow/run_messages.h"
#include "network/flow/test_platforms.h"
#include "network/loggops/loggops_transport.h"

#include <gtest/gtest.h>

namespace orrery::kpacket_network_test {
namespace {

using test::Message;

const Link gigabyte{1e9, Time::us(10), Sharing::shared}; // 1 ns per byte

std::vector<Time> arrivals(const Platform& platform, const std::vector<Message>& messages,
                           const KPacketParameters& parameters = {}) {
    KPacketNetwork network(platform, parameters);
    return test::run(network, messages).arrival;
}

TEST(KPacketNetwork, OneMessageTakesLatencyAndBandwidth) {
    const Platform platform = test::crossbar(2, gigabyte);
    EXPECT_EQ(arrivals(platform, {{{0}, {1}, 1'000'000, Time::us(3)}})[0], Time::us(3 + 20 + 1000));
    EXPECT_EQ(arrivals(platform, {{{0}, {1}, 0, Time::us(3)}})[0], Time::us(3 + 20));
    EXPECT_EQ(arrivals(platform, {{{1}, {1}, 1000, Time::us(3)}})[0], Time::us(3)); // no loopback there
}

TEST(KPacketNetwork, MessagesOnALinkAreDisjointInTime) {
    const Platform platform = test::crossbar(4, gigabyte);
    const auto when =
        arrivals(platform, {{{0}, {1}, 5000, {}}, {{0}, {2}, 1000, {}}, {{0}, {3}, 2000, Time::ns(1)}});
    EXPECT_EQ(when[0], Time::us(20) + Time::ns(5000));
    EXPECT_EQ(when[1], Time::us(20) + Time::ns(6000));
    EXPECT_EQ(when[2], Time::us(20) + Time::ns(8000));
}

TEST(KPacketNetwork, AnIterationEndsWithTheShortestAndTheOldestTakesItsLinks) {
    // A chain: A on link 0, B on links 0 and 1 behind it, C on link 1 meanwhile.
    const Platform platform = test::chain({gigabyte, gigabyte});
    KPacketNetwork network(platform, {});
    network.start({0}, {0}, {1}, 1000, {});          // A
    network.start({1}, {0}, {2}, 1000, Time::ps(1)); // B
    network.start({2}, {1}, {2}, 5000, Time::ps(2)); // C: room on its link
    EXPECT_EQ(network.next(), Time::ns(1000));

    KPacketState state = network.state(Time::ns(400));
    ASSERT_EQ(state.messages.size(), 3U);
    EXPECT_EQ(state.messages[0].left, 600U);
    EXPECT_FALSE(state.messages[1].sending);
    EXPECT_EQ(state.messages[2].left, 4600U);
    EXPECT_EQ(state.links[0].sending, 1U);
    EXPECT_EQ(state.links[0].waiting, 1U);
    EXPECT_EQ(state.links[1].used, 1e9);

    std::vector<TransferId> arrived;
    network.advance(Time::ns(1000), arrived); // A is sent; B is older than C
    EXPECT_EQ(network.next(), Time::ns(2000));
    state = network.state(Time::ns(1500));
    ASSERT_EQ(state.messages.size(), 2U);
    EXPECT_TRUE(state.messages[0].sending);
    EXPECT_EQ(state.messages[0].left, 500U);
    EXPECT_FALSE(state.messages[1].sending);
    EXPECT_EQ(state.messages[1].left, 4000U);
    const Time last = Time::ps(2) + Time::ns(6000); // C has lost 1000 ns
    network.advance(Time::ns(2000), arrived);
    EXPECT_EQ(network.next(), last);
    network.advance(last, arrived);
    EXPECT_TRUE(network.state(last).messages.empty());
    EXPECT_EQ(network.next(), Time::ns(1000) + Time::us(10));
    EXPECT_EQ(network.iterations(), 6U); // three starts, three ends
}

TEST(KPacketNetwork, HostsTakeTurns) {
    // Two hosts have two messages each for the same receiver: the first of each, then the second of each,
    // beginning with host 1.
    const Platform platform = test::crossbar(3, gigabyte);
    const auto when = arrivals(
        platform, {{{0}, {2}, 1000, {}}, {{0}, {2}, 1000, {}}, {{1}, {2}, 1000, {}}, {{1}, {2}, 1000, {}}});
    EXPECT_EQ(when[0], Time::us(20) + Time::ns(1000));
    EXPECT_EQ(when[2], Time::us(20) + Time::ns(2000));
    EXPECT_EQ(when[3], Time::us(20) + Time::ns(3000));
    EXPECT_EQ(when[1], Time::us(20) + Time::ns(4000));
}

TEST(KPacketNetwork, AWideLinkCarriesSeveralIfTheyFit) {
    const Link wide{2e9, Time::us(10), Sharing::shared};
    const Platform platform = test::chain({gigabyte, wide, gigabyte});
    const std::vector<Message> messages{{{0}, {2}, 1000, {}}, {{1}, {3}, 1000, {}}};
    const auto together = arrivals(platform, messages);
    EXPECT_EQ(together[0], Time::us(20) + Time::ns(1000));
    EXPECT_EQ(together[1], Time::us(20) + Time::ns(1000));
    KPacketParameters exclusive;
    exclusive.sharing = LinkSharing::exclusive;
    const auto apart = arrivals(platform, messages, exclusive);
    EXPECT_EQ(apart[0], Time::us(20) + Time::ns(1000));
    EXPECT_EQ(apart[1], Time::us(20) + Time::ns(2000));
}

TEST(KPacketNetwork, HostsSendAndReceiveOnlySoMuch) {
    const Platform platform = test::torus(3, gigabyte); // four links a host
    const std::vector<Message> out{
        {{0}, {1}, 1000, {}}, {{0}, {2}, 1000, {}}, {{0}, {3}, 1000, {}}, {{0}, {6}, 1000, {}}};
    const std::vector<Message> in{
        {{1}, {0}, 1000, {}}, {{2}, {0}, 1000, {}}, {{3}, {0}, 1000, {}}, {{6}, {0}, 1000, {}}};
    const auto latest = [](const std::vector<Time>& when) {
        return *std::max_element(when.begin(), when.end());
    };
    EXPECT_EQ(latest(arrivals(platform, out)), Time::us(10) + Time::ns(1000));
    KPacketParameters narrow;
    narrow.injection = 2e9;
    EXPECT_EQ(latest(arrivals(platform, out, narrow)), Time::us(10) + Time::ns(2000));
    EXPECT_EQ(latest(arrivals(platform, in, narrow)), Time::us(10) + Time::ns(1000));
    narrow.ejection = 5e8; // also the rate of a message
    EXPECT_EQ(latest(arrivals(platform, in, narrow)), Time::us(10) + Time::ns(8000));
}

TEST(KPacketNetwork, AFatPipeIsNeverFull) {
    const Platform platform = test::chain({{1e9, Time::us(1), Sharing::fat_pipe}});
    const auto when = arrivals(platform, {{{0}, {1}, 1000, {}}, {{0}, {1}, 1000, {}}});
    EXPECT_EQ(when[0], when[1]);
    EXPECT_EQ(when[0], Time::us(1) + Time::ns(1000));
}

TEST(KPacketNetwork, PiecesLetOthersThrough) {
    const Platform platform = test::crossbar(2, gigabyte);
    KPacketParameters parameters;
    parameters.piece = 1000;
    const auto when = arrivals(platform, {{{0}, {1}, 10'000, {}}, {{0}, {1}, 500, Time::ns(300)}}, parameters);
    EXPECT_EQ(when[1], Time::us(20) + Time::ns(1500));
    EXPECT_EQ(when[0], Time::us(20) + Time::ns(10'500));
}

TEST(KPacketNetwork, LinkUseIsBytesOverCapacity) {
    const Platform platform = test::crossbar(2, gigabyte);
    KPacketNetwork network(platform, {});
    test::run(network, {{{0}, {1}, 3000, {}}, {{0}, {1}, 1000, {}}});
    EXPECT_EQ(network.link_use()[0].bytes, 4000);
    EXPECT_DOUBLE_EQ(network.link_use()[3].mean_use(gigabyte, Time::us(8)), 0.5);
    EXPECT_EQ(network.link_use()[1].bytes, 0);
}

TEST(KPacketNetwork, AgreesWithOthersWhereNothingIsContended) {
    const Platform platform = test::crossbar(8, gigabyte);
    std::vector<Message> shift; // each sends to the third after it
    for (std::uint32_t i = 0; i < 8; ++i)
        shift.push_back({{i}, {(i + 3) % 8}, 1000 + Bytes{777} * i, Time::ns(13 * i)});
    FlowNetwork flow(platform, {});
    LogGOPS parameters;
    parameters.L = Time::us(20);
    parameters.g = Time::zero();
    parameters.G = 1000; // ps per byte
    LogGOPSTransport loggops(8, parameters);
    const auto ours = arrivals(platform, shift);
    EXPECT_EQ(ours, test::run(flow, shift).arrival);
    const auto theirs = test::run(loggops, shift).arrival;
    for (std::size_t i = 0; i < ours.size(); ++i)
        EXPECT_EQ(ours[i], theirs[i] + Time::ns(1)); // LogGOPS counts the gaps between bytes: (s - 1) G
}

} // namespace
} // namespace orrery::kpacket_network_test
