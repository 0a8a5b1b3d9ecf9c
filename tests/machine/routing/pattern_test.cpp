// Patterns by name and from files, and what is counted of them.
#include "machine/routing/fabrics.h"
#include "machine/routing/pattern_load.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::pattern_test {
namespace {

std::map<std::uint32_t, std::uint32_t> targets(const HostPattern& pattern) {
    std::map<std::uint32_t, std::uint32_t> out;
    for (const Flow& flow : pattern.flows) out[flow.from.value] = flow.to.value;
    return out;
}

TEST(TrafficPattern, ByName) {
    const WiredMachine machine = crossbar_machine(16);
    const Platform& platform = *machine.platform;
    EXPECT_EQ(targets(read_pattern(platform, "shift:3"))[15], 2U);
    EXPECT_EQ(targets(read_pattern(platform, "bit-complement"))[5], 10U);
    EXPECT_EQ(targets(read_pattern(platform, "bit-reverse"))[1], 8U);
    EXPECT_EQ(targets(read_pattern(platform, "transpose"))[1], 4U);
    EXPECT_EQ(targets(read_pattern(platform, "tornado"))[0], 7U);
    EXPECT_EQ(read_pattern(platform, "uniform").flows.size(), 16U * 15U);
    EXPECT_EQ(read_pattern(platform, "exchange:4").flows.size(), 24U);
    for (int seed = 1; seed < 50; ++seed) {
        std::set<std::uint32_t> receivers;
        const HostPattern pattern = read_pattern(platform, "permutation:" + std::to_string(seed));
        for (const Flow& flow : pattern.flows) receivers.insert(flow.to.value);
        EXPECT_EQ(pattern.flows.size(), 16U); // nobody sends to itself
        EXPECT_EQ(receivers.size(), 16U);
    }
}

// One family: what `orrery generate` has, routes can be made for. Messages of a
// pair are one flow.
TEST(TrafficPattern, OfTheOneFamily) {
    const WiredMachine machine = crossbar_machine(16);
    const Platform& platform = *machine.platform;
    for (const PatternInfo& info : patterns()) {
        const std::string name = std::string(info.name) + (info.name == "group" ? ":4" : "");
        const HostPattern pattern = read_pattern(platform, name);
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (const Flow& flow : pattern.flows) {
            EXPECT_NE(flow.from, flow.to);
            EXPECT_TRUE(pairs.emplace(flow.from.value, flow.to.value).second || info.name == "near-neighbour")
                << name;
        }
    }
    EXPECT_EQ(read_pattern(platform, "ping-pong:iterations=5:bytes=3").flows[0], (Flow{{0}, {1}, 15, 0}));
    EXPECT_EQ(read_pattern(platform, "shift-exchange:4").flows, read_pattern(platform, "exchange:4").flows);
    EXPECT_EQ(read_pattern(platform, "neighbor").flows.size(), 32U);
    const auto complaint = [&](const std::string& text) {
        try {
            (void)read_pattern(platform, text);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(complaint("stencil-3").find("did you mean 'stencil-3d'?"), std::string::npos)
        << complaint("stencil-3");
    EXPECT_NE(complaint("hotspot").find("neither a file nor a pattern"), std::string::npos)
        << complaint("hotspot");
    EXPECT_NE(complaint("stencil-2d:dim=4x4").find("did you mean 'dims'?"), std::string::npos);
}

TEST(TrafficPattern, FromAFile) {
    const WiredMachine machine = crossbar_machine(4);
    const HostPattern pattern = parse_pattern(
        *machine.platform, "# who whom how much\nn0 n1 4KiB\n\n2 3 1kB 7 # later\n1 1\n3 0", "p.txt");
    EXPECT_EQ(pattern.flows.size(), 3U);
    EXPECT_EQ(pattern.flows[1], (Flow{{2}, {3}, 1000, 7}));
    EXPECT_EQ(pattern.flows[2], (Flow{{3}, {0}, 1, 0}));
}

TEST(TrafficPattern, WhatIsWrongIsNamed) {
    const WiredMachine machine = crossbar_machine(6);
    const auto reason = [&](const std::string& text) {
        try {
            parse_pattern(*machine.platform, text, "p.txt");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(reason("0 1\n2\n").find("p.txt:2: expected 'from to"), std::string::npos);
    EXPECT_NE(reason("0 6").find("p.txt:1: the machine has no host '6'"), std::string::npos);
    EXPECT_NE(reason("0 1 much").find("p.txt:1: "), std::string::npos);
    EXPECT_NE(reason("0 1 8 -3").find("phase"), std::string::npos);
    EXPECT_NE(reason("0 1 8 3 4").find("expected 'from to"), std::string::npos);
    EXPECT_NE(reason("# nothing\n").find("no host sends"), std::string::npos);
    EXPECT_THROW(read_pattern(*machine.platform, "shift:x"), UsageError);
    EXPECT_THROW(read_pattern(*machine.platform, "shift:6"), UsageError); // all to themselves
    EXPECT_THROW(read_pattern(*machine.platform, "uniform:3"), UsageError);
    EXPECT_THROW(read_pattern(*machine.platform, "bit-reverse"), UsageError); // 6 hosts
    EXPECT_THROW(read_pattern(*machine.platform, "no-such-file"), UsageError);
}

TEST(TrafficPattern, EndsAndNetworkAreToldApart) {
    // Three senders to one receiver in another leaf: they meet, but at the receiver they would anyway.
    const WiredMachine tree = fat_tree_machine("2; 4,2; 1,1");
    const auto routing = routing_of(tree, {});
    const PatternLoad gather =
        load_of(*tree.fabric, *routing, parse_pattern(*tree.platform, "0 4\n1 4\n2 4", "p"));
    EXPECT_EQ(gather.most_flows, 3U);
    EXPECT_EQ(gather.most_contention, 1U);
    EXPECT_EQ(gather.most_sent, 1U);
    EXPECT_EQ(gather.most_received, 3U);
    const PatternLoad shift =
        load_of(*tree.fabric, *routing, parse_pattern(*tree.platform, "0 4\n1 5\n2 6", "p"));
    EXPECT_EQ(shift.most_contention, 3U);
    EXPECT_EQ(shift.with_flows, (std::vector<std::uint64_t>{2, 0, 0, 2}));
    EXPECT_FALSE(shift.one_of_many);
}

} // namespace
} // namespace orrery::pattern_test
