// Random machines and messages: the network against its slow twin, and what must hold whatever happens.
#include "engine/random.h"
#include "network/flow/flow_network.h"
#include "network/flow/run_messages.h"
#include "network/flow/test_platforms.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::random_flows_test {
namespace {

using test::Message;

FlowParameters set_named(const std::string& name) {
    Settings settings;
    settings.set("flow.set", name, "test");
    settings.set("flow.precision", "1e-14", "test");
    return read_flow_parameters(settings);
}

Platform platform_number(std::uint64_t n) {
    const Link link{1e9, Time::us(1), Sharing::shared};
    switch (n % 4) {
    case 0: return test::crossbar(6, link);
    case 1: return test::bus(6, link);
    case 2: return test::torus(3, link);
    default:
        return test::chain({link,
                            {5e8, Time::us(3), Sharing::shared},
                            {2e9, Time::us(2), Sharing::fat_pipe},
                            {4e8, Time::ns(300), Sharing::shared},
                            link});
    }
}

std::vector<Message> random_messages(std::uint64_t seed, std::uint32_t hosts, std::uint32_t count) {
    const RandomStream random(3, seed);
    std::vector<Message> messages;
    std::uint64_t n = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const HostId from{static_cast<std::uint32_t>(random.below(n++, hosts))};
        const HostId to{static_cast<std::uint32_t>(random.below(n++, hosts))};
        const Bytes bytes = random.below(n++, 8) == 0 ? 0 : random.below(n++, 40'000);
        // A coarse grid, so that some start at the same instant.
        messages.push_back({from, to, bytes, Time::us(static_cast<std::int64_t>(random.below(n++, 60)))});
    }
    return messages;
}

class RandomFlows : public testing::TestWithParam<const char*> {};

TEST_P(RandomFlows, ArriveWhenTheTwinSays) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Platform platform = platform_number(seed);
        const FlowParameters parameters = set_named(GetParam());
        const auto messages = random_messages(seed, platform.host_count(), 60);
        FlowNetwork network(platform, parameters);
        const auto fast = test::run(network, messages).arrival;
        const auto slow = reference::arrivals(platform, parameters, messages);
        for (std::size_t i = 0; i < messages.size(); ++i) {
            // Each rounding to a picosecond may shift what follows by another.
            ASSERT_NEAR(static_cast<double>(fast[i].ps()), slow[i] * 1e12, 50)
                << "seed " << seed << " message " << i;
        }
    }
}

TEST_P(RandomFlows, BytesInAreBytesOut) {
    const Platform platform = platform_number(0); // a crossbar: the up links carry what the down links carry
    const auto messages = random_messages(99, platform.host_count(), 500);
    FlowNetwork network(platform, set_named(GetParam()));
    const auto outcome = test::run(network, messages);
    EXPECT_EQ(outcome.order.size(), messages.size()); // each arrives, once
    std::vector<double> sent(platform.link_count(), 0);
    for (const Message& message : messages) {
        if (message.from == message.to) continue;
        sent[2 * message.from.index()] += static_cast<double>(message.bytes);
        sent[2 * message.to.index() + 1] += static_cast<double>(message.bytes);
    }
    for (std::size_t l = 0; l < sent.size(); ++l) EXPECT_DOUBLE_EQ(network.link_use()[l].bytes, sent[l]);
}

TEST_P(RandomFlows, RunsAreIdenticalBitByBit) {
    const Platform platform = platform_number(2);
    const auto messages = random_messages(5, platform.host_count(), 2000);
    FlowNetwork one(platform, set_named(GetParam()));
    FlowNetwork two(platform, set_named(GetParam()));
    const auto first = test::run(one, messages);
    const auto second = test::run(two, messages);
    EXPECT_EQ(first.arrival, second.arrival);
    EXPECT_EQ(first.order, second.order);
}

INSTANTIATE_TEST_SUITE_P(Sets, RandomFlows, testing::Values("fabric", "smpi", "lv08", "cm02"),
                         [](const auto& set) { return std::string(set.param); });

} // namespace
} // namespace orrery::random_flows_test
