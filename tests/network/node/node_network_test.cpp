// Messages within a host: closed forms, a slow twin for copies that share a memory, and that nothing else
// changes.
#include "network/node/node_network.h"

#include "engine/error.h"
#include "engine/random.h"
#include "formats/load_machine.h"
#include "network/flow/flow_network.h"
#include "network/flow/run_messages.h"
#include "network/flow/test_platforms.h"
#include "network/kpacket/kpacket_network.h"
#include "simulation/simulation_network.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orrery::node_network_test {
namespace {

using test::Message;

constexpr Bytes MB = 1'000'000;

// 100 GB/s of memory, cores that copy 10 GB/s: five messages fill the memory.
NodeParameters parameters() {
    NodeParameters node;
    node.memory_bandwidth = 100e9;
    node.copy_bandwidth = 10e9;
    node.cache = 64 * 1024;
    node.cache_bandwidth = 40e9;
    node.single_copy_from = MB;
    node.latency = Time::ns(300);
    return node;
}

// Of `cores` each.
Platform four_hosts(std::uint32_t cores = 64) {
    return {
        std::vector<Host>(4, Host{.cores = cores}), std::vector<Link>(8, {10e9, Time::us(1), Sharing::shared}),
        std::make_unique<test::RouteByFunction>([](std::uint32_t from, std::uint32_t to) {
            return from == to ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{2 * from, 2 * to + 1};
        })};
}

struct Within {
    explicit Within(const NodeParameters& node)
        : network(std::make_unique<FlowNetwork>(platform, flow), node, platform) {}
    Platform platform = four_hosts();
    FlowParameters flow;
    NodeNetwork network;
};

std::vector<Time> arrivals(const NodeParameters& node, const std::vector<Message>& messages) {
    Within within(node);
    return test::run(within.network, messages).arrival;
}

Time alone(Bytes bytes) {
    return arrivals(parameters(), {{.from = {1}, .to = {1}, .bytes = bytes, .start = Time::zero()}})[0];
}

// Every copy advances by its share until the next thing happens; no heap, nothing kept.
std::vector<double> slow_copies(const NodeParameters& node, const std::vector<Message>& messages) {
    std::vector<double> left(messages.size());
    std::vector<double> end(messages.size(), -1);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const double copies = messages[i].bytes >= node.single_copy_from ? 1 : 2;
        left[i] = 2 * copies * static_cast<double>(messages[i].bytes);
    }
    double now = 0;
    for (;;) {
        double step = INFINITY;
        std::vector<double> rate(messages.size(), 0);
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (end[i] >= 0) continue;
            const double start = messages[i].start.seconds();
            if (start > now) {
                step = std::min(step, start - now);
                continue;
            }
            std::size_t there = 0;
            for (std::size_t j = 0; j < messages.size(); ++j)
                there +=
                    messages[j].from == messages[i].from && end[j] < 0 && messages[j].start.seconds() <= now;
            rate[i] = std::min(2 * node.copy_bandwidth, node.memory_bandwidth / static_cast<double>(there));
            step = std::min(step, left[i] / rate[i]);
        }
        if (step == INFINITY) return end;
        double next = now + step;
        for (const Message& each : messages) { // exactly: a sum may fall short of it
            if (std::abs(each.start.seconds() - next) < 1e-16) next = each.start.seconds();
        }
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (rate[i] == 0) continue;
            left[i] -= rate[i] * step;
            if (left[i] < 1e-3) end[i] = next;
        }
        now = next;
    }
}

} // namespace

TEST(NodeNetwork, AMessageAloneTakesLatencyAndItsCopies) {
    EXPECT_EQ(alone(0), Time::ns(300));
    EXPECT_EQ(alone(40'000), Time::ns(300) + Time::ns(2000)) << "twice at 40 GB/s, in the caches";
    EXPECT_EQ(alone(100'000), Time::ns(300) + Time::us(20)) << "twice at 10 GB/s";
    EXPECT_EQ(alone(MB - 1), Time::ns(300) + Time::ps(199'999'800));
    EXPECT_EQ(alone(MB), Time::ns(300) + Time::us(100)) << "once";
}

TEST(NodeNetwork, TheMemoryBoundsACopyThatIsAlone) {
    NodeParameters node = parameters();
    node.memory_bandwidth = 5e9; // half of it to read, half to write
    EXPECT_EQ(arrivals(node, {{.from = {0}, .to = {0}, .bytes = MB, .start = {}}})[0],
              Time::ns(300) + Time::us(400));
}

TEST(NodeNetwork, CopiesOfAHostShareItsMemory) {
    for (const std::uint32_t copies : {1U, 4U, 5U, 6U, 20U, 64U}) {
        const std::vector<Message> all(copies, {.from = {2}, .to = {2}, .bytes = MB, .start = {}});
        // Each crosses the memory twice; up to five at a time are bound by their cores.
        const Time copied = copies <= 5 ? Time::us(100) : std::int64_t{copies} * Time::us(20);
        for (const Time each : arrivals(parameters(), all)) EXPECT_EQ(each, Time::ns(300) + copied) << copies;
    }
}

TEST(NodeNetwork, HostsDoNotShareMemory) {
    std::vector<Message> all;
    for (std::uint32_t i = 0; i < 20; ++i)
        all.push_back({.from = {i % 4}, .to = {i % 4}, .bytes = MB, .start = {}});
    for (const Time each : arrivals(parameters(), all)) EXPECT_EQ(each, Time::ns(300) + Time::us(100));
}

TEST(NodeNetwork, WhatIsInCachesDoesNotMeetTheMemory) {
    std::vector<Message> all(50, {.from = {0}, .to = {0}, .bytes = MB, .start = {}});
    all.push_back({.from = {0}, .to = {0}, .bytes = 40'000, .start = Time::us(1)});
    EXPECT_EQ(arrivals(parameters(), all).back(), Time::us(1) + Time::ns(2300));
}

TEST(NodeNetwork, TheCoresOfAHostBoundItsCopies) {
    const Platform platform = four_hosts(2);
    for (const Bytes bytes : {Bytes{40'000}, MB}) {
        NodeNetwork network(std::make_unique<FlowNetwork>(platform, FlowParameters{}), parameters(), platform);
        const std::vector<Message> all(10, {.from = {0}, .to = {0}, .bytes = bytes, .start = {}});
        const Time one = bytes == MB ? Time::us(100) : Time::us(2);
        for (const Time each : test::run(network, all).arrival)
            EXPECT_EQ(each, Time::ns(300) + 5 * one) << bytes;
    }
}

TEST(NodeNetwork, AgreesWithASlowTwin) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const RandomStream draw(seed, 5);
        std::uint64_t n = 0;
        std::vector<Message> messages(1 + draw.below(n++, 40));
        for (Message& each : messages) {
            const auto host = static_cast<std::uint32_t>(draw.below(n++, 3));
            each = {.from = {host},
                    .to = {host},
                    .bytes = 70'000 + draw.below(n++, 3 * MB),
                    .start = Time::us(static_cast<std::int64_t>(draw.below(n++, 400)))};
        }
        const std::vector<Time> fast = arrivals(parameters(), messages);
        const std::vector<double> slow = slow_copies(parameters(), messages);
        // Each end of a copy is rounded to a picosecond.
        for (std::size_t i = 0; i < messages.size(); ++i)
            ASSERT_NEAR(fast[i].picoseconds() - 300e3, slow[i] * 1e12, static_cast<double>(messages.size()))
                << fmt::format("seed {}, message {}", seed, i);
    }
}

TEST(NodeNetwork, MessagesBetweenHostsAreTheNetworks) {
    std::vector<Message> between;
    std::vector<Message> all;
    const RandomStream draw(3, 1);
    for (std::uint32_t i = 0; i < 300; ++i) {
        const auto from = static_cast<std::uint32_t>(draw.below(3 * i, 4));
        const auto to = static_cast<std::uint32_t>(draw.below(3 * i + 1, 4));
        const Message message{
            .from = {from}, .to = {to}, .bytes = draw.below(3 * i + 2, MB), .start = Time::us(i)};
        all.push_back(message);
        if (from != to) between.push_back(message);
    }
    Within within(parameters());
    const std::vector<Time> with = test::run(within.network, all).arrival;
    FlowNetwork flow(within.platform, within.flow);
    const std::vector<Time> without = test::run(flow, between).arrival;
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].from == all[i].to) continue;
        EXPECT_EQ(with[i], without[next++]) << i;
    }
    EXPECT_EQ(next, without.size());
}

// What the network may work off by itself ends before a message arrives within a host.
TEST(NodeNetwork, TheNetworkDoesNotRunAheadOfTheMemory) {
    const Platform platform = four_hosts();
    NodeNetwork network(std::make_unique<KPacketNetwork>(platform, KPacketParameters{}), parameters(),
                        platform);
    network.start({0}, {0}, {1}, 100 * MB, Time::zero());
    network.start({1}, {0}, {0}, 40'000, Time::zero());
    std::vector<TransferId> arrived;
    Time now;
    while (arrived.empty()) {
        now = network.next_until(Time::max());
        ASSERT_LE(now, Time::ns(2300));
        network.advance(now, arrived);
    }
    EXPECT_EQ(now, Time::ns(2300));
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].value, 1U);
}

TEST(NodeNetwork, NoMemoryIsMoreThanFullAndItIsAmongTheBusiest) {
    Within within(parameters());
    std::vector<Message> all(30, {.from = {3}, .to = {3}, .bytes = MB, .start = {}});
    all.push_back({.from = {0}, .to = {1}, .bytes = MB, .start = {}});
    const std::vector<Time> when = test::run(within.network, all).arrival;
    const NetworkReport report = within.network.report(*std::max_element(when.begin(), when.end()));
    ASSERT_FALSE(report.busiest.empty());
    EXPECT_EQ(report.busiest[0].name, "h3 memory");
    EXPECT_EQ(report.busiest[0].bytes, 60e6);
    EXPECT_GT(report.busiest[0].use, 0.99);
    EXPECT_LE(report.busiest[0].use, 1);
}

TEST(NodeNetwork, SaysWhatAMessageTakesAlone) {
    Within within(parameters());
    for (const Bytes bytes : {Bytes{0}, Bytes{40'000}, Bytes{100'000}, 5 * MB}) {
        const Uncontended one = within.network.uncontended({1}, {1}, bytes);
        EXPECT_EQ(one.latency + one.transmission, alone(bytes)) << bytes;
    }
    EXPECT_EQ(within.network.latency({2}, {2}), Time::ns(300));
    EXPECT_EQ(within.network.latency({2}, {1}), Time::us(2));
}

TEST(NodeParameters, AreReadWithTheirUnits) {
    Settings settings;
    EXPECT_FALSE(read_node_parameters(settings));
    settings.set("node.memory_bandwidth", "100 GB/s", "x.toml", 1);
    settings.set("node.cache", "64 KiB", "x.toml", 2);
    settings.set("node.cache_bandwidth", "40 GB/s", "x.toml", 3);
    settings.set("node.single_copy_from", "1MB", "x.toml", 4);
    settings.set("node.latency", "300 ns", "x.toml", 5);
    EXPECT_EQ(read_node_parameters(settings), parameters()) << "cores copy 10 GB/s unless it is said";
    EXPECT_EQ(describe(parameters()), "within a host copies of 10 GB/s each, 100 GB/s of memory");
}

TEST(NodeParameters, ThatCannotBeAreRefused) {
    const auto complaint = [](std::string_view key, const std::string& value) -> std::string {
        Settings settings;
        settings.set(key, value, "x.toml", 7);
        try {
            (void)read_node_parameters(settings);
        } catch (const InputError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_NE(complaint("node.memory_bandwidth", "0").find("x.toml:7"), std::string::npos);
    EXPECT_NE(complaint("node.memory_bandwidth", "fast").find("node.memory_bandwidth"), std::string::npos);
    EXPECT_NE(complaint("node.latency", "1us").find("node.memory_bandwidth as well"), std::string::npos);
}

TEST(NodeParameters, DoNotGoWithALoopback) {
    const std::string text =
        "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[loopback]\nbandwidth = '5 GB/s'\n"
        "[node]\nmemory_bandwidth = '90 GB/s'\n[topology]\ntype = 'crossbar'\nhosts = 2\n";
    const Machine machine = machine_from_text(text, "x.toml");
    try {
        const SimulationNetwork network(NetworkKind::flow, {machine, LogGOPS{}});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "x.toml:5: loopback.bandwidth = '5 GB/s'; expected no loopback, as "
                     "node.memory_bandwidth is set: messages within a host go through its memory");
    }
}

// The same 4,032 messages of 1 MiB within one host, on each network with links: the memory cannot be outrun.
TEST(NodeNetwork, BoundsAnAllToAllWithinAHostOnEveryNetwork) {
    const Machine machine = load_machine("ndr-fat-tree");
    const NodeParameters node = read_node_parameters(machine.settings).value();
    for (const NetworkKindRow* const row : network_kinds()) {
        if (!row->links) continue;
        SCOPED_TRACE(row->name);
        const SimulationNetwork description(row->kind, {machine, LogGOPS{}});
        const std::unique_ptr<Network> network = description.make();
        const std::vector<Message> all(64 * 63, {.from = {0}, .to = {0}, .bytes = 1 << 20, .start = {}});
        const std::vector<Time> when = test::run(*network, all).arrival;
        const Time end = *std::max_element(when.begin(), when.end());
        const double traffic = 2.0 * 64 * 63 * (1 << 20); // one copy each: with kernel assistance
        EXPECT_NEAR(end.seconds(), traffic / node.memory_bandwidth + node.latency.seconds(), 1e-9);
        for (const LinkLoad& link : network->report(end).busiest) EXPECT_LE(link.use, 1) << link.name;
    }
}

} // namespace orrery::node_network_test
