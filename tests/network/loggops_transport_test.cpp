#include "network/loggops/loggops_transport.h"

#include "network/flow/run_messages.h"
#include "network/ideal_network.h"

#include <gtest/gtest.h>

namespace orrery::loggops_transport_test {
namespace {

// L = 10 us, g = 1 us, G = 1 ns per byte.
const LogGOPS parameters{Time::us(10), Time::zero(), Time::us(1), 1000, 0, unlimited, Rendezvous::sender_waits};

TEST(LogGOPSTransport, OneMessageTakesLatencyAndItsBytes) {
    LogGOPSTransport network(2, parameters);
    const auto outcome = test::run(network, {{{0}, {1}, 1001, Time::us(5)}});
    EXPECT_EQ(outcome.arrival[0], Time::us(5 + 10 + 1)); // L + (s-1) G
}

TEST(LogGOPSTransport, MessagesQueueAtTheSendingInterface) {
    LogGOPSTransport network(3, parameters);
    const auto outcome = test::run(network, {{{0}, {1}, 1001, Time::zero()}, {{0}, {2}, 1, Time::zero()}});
    EXPECT_EQ(outcome.arrival[0], Time::us(11));
    EXPECT_EQ(outcome.arrival[1], Time::us(2 + 10)); // g + (s-1) G later
}

TEST(LogGOPSTransport, MessagesQueueAtTheReceivingInterface) {
    LogGOPSTransport network(3, parameters);
    const auto outcome = test::run(network, {{{0}, {2}, 1001, Time::zero()}, {{1}, {2}, 2001, Time::zero()}});
    EXPECT_EQ(outcome.arrival[0], Time::us(11));
    EXPECT_EQ(outcome.arrival[1], Time::us(10 + 2 + 2));
}

TEST(LogGOPSTransport, DirectionsDoNotDisturbEachOther) {
    LogGOPSTransport network(2, parameters);
    const auto outcome = test::run(network, {{{0}, {1}, 1001, Time::zero()}, {{1}, {0}, 1001, Time::zero()}});
    EXPECT_EQ(outcome.arrival[0], Time::us(11));
    EXPECT_EQ(outcome.arrival[1], Time::us(11));
}

TEST(IdealNetwork, EverythingArrivesAtOnce) {
    IdealNetwork network;
    EXPECT_EQ(network.next(), Time::max());
    const auto outcome = test::run(
        network, {{{0}, {1}, 1'000'000, Time::us(1)}, {{1}, {0}, 0, Time::us(1)}, {{1}, {0}, 5, Time::us(2)}});
    EXPECT_EQ(outcome.arrival, (std::vector<Time>{Time::us(1), Time::us(1), Time::us(2)}));
    EXPECT_EQ(outcome.order, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(network.latency({0}, {1}), Time::zero());
}

} // namespace
} // namespace orrery::loggops_transport_test
