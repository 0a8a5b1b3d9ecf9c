// What the critical path says of each class of links, against runs on machines whose links of that class are a
// little slower or faster. Where nobody waits for others both agree to the rounding of times.
#include "drivers/action_script.h"
#include "drivers/crossbar.h"
#include "drivers/trace/replay.h"
#include "engine/random.h"
#include "formats/load_machine.h"
#include "machine/fabric/fabric.h"
#include "network/network_kinds.h"
#include "observe/event_path.h"
#include "protocol/endpoint_parameters.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orrery::link_classes_test {
namespace {

struct LinkKind {
    std::string section; // of the machine file
    double bandwidth = 0;
    double latency_ns = 0;
};

struct TestMachine {
    std::string topology;
    std::vector<LinkKind> kinds;
    std::string settings; // of models

    [[nodiscard]] std::string text() const {
        std::string out = "[host]\nspeed = \"1 Gf\"\n[topology]\n" + topology;
        for (const LinkKind& kind : kinds)
            out += fmt::format("[{}]\nbandwidth = \"{:.17g} B/s\"\nlatency = \"{:.17g} ns\"\n", kind.section,
                               kind.bandwidth, kind.latency_ns);
        return out + settings;
    }
    [[nodiscard]] LinkKind& kind(const std::string& section) {
        return *std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.section == section; });
    }
};

// 16 hosts, 4 per leaf, as many cables up as down.
TestMachine fat_tree(double host = 4e9, double up = 8e9) {
    return {"type = \"fat-tree\"\nlevels = \"2; 4,4; 1,4; 1,1\"\n",
            {{"link.level1", host, 300}, {"link.level2", up, 700}},
            ""};
}
TestMachine torus(double first = 8e9, double second = 4e9) {
    return {"type = \"torus\"\ndimensions = \"4,4\"\n",
            {{"link.dimension1", first, 500}, {"link.dimension2", second, 900}},
            ""};
}
TestMachine torus_with_node_cables() {
    TestMachine machine = torus(4e9, 2e9);
    machine.kinds.push_back({"link.node", 8e9, 200});
    return machine;
}
TestMachine dragonfly() {
    return {
        "type = \"dragonfly\"\ngroups = 4\nchassis = 2\nrouters = 2\nhosts_per_router = 1\n",
        {{"link.node", 8e9, 100}, {"link.green", 4e9, 300}, {"link.black", 5e9, 400}, {"link.blue", 2e9, 900}},
        ""};
}

using MakeScript = std::function<test::ActionScript()>;

void ping_pong(test::ActionScript& script, std::uint32_t a, std::uint32_t b, Bytes bytes) {
    script.message(a, ActionKind::send, b, bytes).message(b, ActionKind::recv, a, bytes);
    script.compute(b, 500);
    script.message(b, ActionKind::send, a, bytes).message(a, ActionKind::recv, b, bytes);
}

// Over short and long routes, in turn.
test::ActionScript ping_pongs() {
    test::ActionScript script(16);
    for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{999}, Bytes{5000}, Bytes{100'000}}) {
        for (const std::uint32_t other : {1U, 2U, 4U, 5U, 7U, 10U, 15U}) ping_pong(script, 0, other, bytes);
    }
    return script;
}

// Everybody sends to the next, and computes until all have arrived.
test::ActionScript ring_shift() {
    test::ActionScript script(16);
    for (std::uint32_t round = 0; round < 3; ++round) {
        for (std::uint32_t rank = 0; rank < 16; ++rank) {
            const auto bytes = [&](std::uint32_t of) {
                return Bytes{20'000} + Bytes{3000} * ((of * 7 + round) % 16);
            };
            const std::uint32_t left = (rank + 15) % 16;
            script.message(rank, ActionKind::irecv, left, bytes(left), 2 * round);
            script.message(rank, ActionKind::isend, (rank + 1) % 16, bytes(rank), 2 * round + 1);
            script.wait_all(rank).compute(rank, 100'000 + 100 * rank);
        }
    }
    return script;
}

// With the four neighbours on the torus, each over a cable of its own.
test::ActionScript stencil() {
    test::ActionScript script(16);
    for (std::uint32_t round = 0; round < 3; ++round) {
        for (std::uint32_t rank = 0; rank < 16; ++rank) {
            const std::uint32_t x = rank % 4;
            const std::uint32_t y = rank / 4;
            const std::uint32_t next[] = {(x + 1) % 4 + 4 * y, (x + 3) % 4 + 4 * y, x + (y + 1) % 4 * 4,
                                          x + (y + 3) % 4 * 4};
            std::uint32_t request = 8 * round;
            const auto bytes = [](std::uint32_t a, std::uint32_t b) {
                return Bytes{10'000} + Bytes{1000} * (a + b);
            };
            for (const std::uint32_t other : next)
                script.message(rank, ActionKind::irecv, other, bytes(rank, other), request++);
            for (const std::uint32_t other : next)
                script.message(rank, ActionKind::isend, other, bytes(rank, other), request++);
            script.wait_all(rank).compute(rank, 100'000 + 130 * rank);
        }
    }
    return script;
}

// Two to one, and what they send goes on.
test::ActionScript incast() {
    test::ActionScript script(16);
    script.message(1, ActionKind::send, 0, 50'000).message(5, ActionKind::send, 0, 70'000);
    script.message(0, ActionKind::recv, 1, 50'000).message(0, ActionKind::recv, 5, 70'000);
    return script;
}

EventPath path_on(const TestMachine& on, NetworkKind kind, test::ActionScript script) {
    const Machine machine = machine_from_text(on.text(), "test.toml");
    const LogGOPS loggops;
    const std::unique_ptr<NetworkModel> model = network_kind_row(kind).read({machine, loggops});
    model->connect(machine);
    const std::unique_ptr<Network> network = model->make(nullptr);
    EventLog log;
    ReplayOptions options;
    options.events = &log;
    options.endpoint = read_endpoint_parameters(machine.settings);
    (void)replay({{&script, Time::zero(), test::one_each(script.ranks())}}, *machine.platform, *network,
                 options);
    EventPathContext context{network.get(), nullptr, {}, nullptr};
    context.link_class = [&](std::uint32_t, LinkId link) {
        return model->fabric() != nullptr ? model->fabric()->link_class(link)
                                          : machine.platform->topology().link_class(link);
    };
    EventPath path = event_path(log, context);
    EXPECT_TRUE(path.consistent);
    return path;
}

const EventPathLinkClass& of(const EventPath& path, const std::string& name) {
    static const EventPathLinkClass nothing;
    const auto found = std::find_if(path.link_classes.begin(), path.link_classes.end(),
                                    [&](const auto& each) { return each.time.name == name; });
    return found == path.link_classes.end() ? nothing : *found;
}

const std::string rendezvous = "[endpoint]\neager_limit = \"10 kB\"\nhandshake = \"yes\"\n";

// How many of the compared slopes are not zero.
int compare(const TestMachine& machine, NetworkKind kind, const MakeScript& script, double change_by = 0.01) {
    const EventPath path = path_on(machine, kind, script());
    EXPECT_FALSE(path.first_order) << summary(path);
    EXPECT_EQ(path.parts.contention, Time::zero());
    Time latency;
    Time transmission;
    for (const EventPathLinkClass& each : path.link_classes) {
        latency += each.time.latency;
        transmission += each.time.transmission;
    }
    EXPECT_EQ(latency, path.parts.latency);
    EXPECT_EQ(transmission, path.parts.transmission);
    EXPECT_EQ(path.link_transmission, path.parts.transmission);

    int effective = 0;
    const auto expect = [&](const std::string& what, const TestMachine& other, double change, Time slope) {
        const EventPath there = path_on(other, kind, script());
        const double measured = (there.time - path.time).picoseconds();
        const double predicted = change * slope.picoseconds();
        // Each step is rounded to a picosecond, in both runs.
        EXPECT_NEAR(measured, predicted, static_cast<double>(path.steps + 1))
            << what << " on network " << static_cast<int>(kind) << "\n"
            << machine.text() << summary(path);
        if (slope != Time::zero()) ++effective;
    };
    TestMachine slower = machine;
    TestMachine further = machine;
    for (const LinkKind& links : machine.kinds) {
        const EventPathSlopes slopes = of(path, links.section).slopes;
        // A byte takes a little longer, or less long.
        TestMachine other = machine;
        other.kind(links.section).bandwidth = links.bandwidth / (1 + change_by);
        expect(links.section + " slower", other, change_by, slopes.less_bandwidth);
        other.kind(links.section).bandwidth = links.bandwidth / (1 - change_by);
        expect(links.section + " faster", other, -change_by, slopes.more_bandwidth);
        other = machine;
        other.kind(links.section).latency_ns = links.latency_ns * (1 + change_by);
        expect(links.section + " further", other, change_by, slopes.latency);
        other.kind(links.section).latency_ns = links.latency_ns * (1 - change_by);
        expect(links.section + " nearer", other, -change_by, slopes.latency);
        slower.kind(links.section).bandwidth = links.bandwidth / (1 + change_by);
        further.kind(links.section).latency_ns = links.latency_ns * (1 + change_by);
    }
    expect("all slower", slower, change_by, path.link_transmission);
    expect("all further", further, change_by, path.link_latency);
    return effective;
}

constexpr std::array with_links{NetworkKind::flow, NetworkKind::kpacket, NetworkKind::packet};

TEST(LinkClasses, OfPingPongsHaveTheSlopesOfFiniteDifferences) {
    for (const NetworkKind kind : with_links) {
        for (TestMachine machine : {fat_tree(), torus(), torus_with_node_cables(), dragonfly()}) {
            const auto classes = static_cast<int>(machine.kinds.size());
            EXPECT_GE(compare(machine, kind, ping_pongs), 3 * classes);
            machine.settings = rendezvous;
            EXPECT_GE(compare(machine, kind, ping_pongs), 3 * classes);
            machine.settings = rendezvous + "control_bytes = \"16 B\"\n";
            EXPECT_GE(compare(machine, kind, ping_pongs), 3 * classes);
        }
    }
}

TEST(LinkClasses, OfAShiftHaveTheSlopesOfFiniteDifferences) {
    for (const NetworkKind kind : with_links) {
        EXPECT_GE(compare(fat_tree(), kind, ring_shift), 6);
        EXPECT_GE(compare(torus(), kind, ring_shift), 6);
    }
}

TEST(LinkClasses, OfAStencilHaveTheSlopesOfFiniteDifferences) {
    // Packets of a host wait for each other in its adapter.
    for (const NetworkKind kind : {NetworkKind::flow, NetworkKind::kpacket})
        EXPECT_GE(compare(torus(), kind, stencil), 6);
}

TEST(LinkClasses, OfOtherTopologiesHaveTheSlopesOfFiniteDifferences) {
    const TestMachine cabinets{
        "type = \"cabinets\"\ncabinets = \"5,11\"\n", {{"link", 8e9, 200}, {"uplink", 4e9, 600}}, ""};
    const TestMachine hyperx{
        "type = \"hyperx\"\ndimensions = \"4,2\"\nhosts_per_router = 2\n",
        {{"link.node", 8e9, 200}, {"link.dimension1", 2e9, 300}, {"link.dimension2", 4e9, 500}},
        ""};
    for (const NetworkKind kind : with_links) {
        EXPECT_GE(compare(cabinets, kind, ping_pongs), 6);
        EXPECT_GE(compare(hyperx, kind, ping_pongs), 9);
    }
    // What only flows and k-packets see: a link of all messages, and interfaces.
    const TestMachine cluster{"type = \"cluster\"\nhosts = 16\n",
                              {{"link", 4e9, 200}, {"backbone", 2e9, 600}},
                              "[limiter]\nbandwidth = \"5 GB/s\"\n"};
    for (const NetworkKind kind : {NetworkKind::flow, NetworkKind::kpacket})
        EXPECT_GE(compare(cluster, kind, ping_pongs), 6);
}

// Latency factors and bandwidth factors by size, acknowledgements on the way back.
TEST(LinkClasses, OfFlowsAsSMPIHasThemHaveTheSlopesOfFiniteDifferences) {
    TestMachine machine = fat_tree(1.25e8, 1.25e9);
    machine.settings = "[flow]\nset = \"smpi\"\n";
    EXPECT_GE(compare(machine, NetworkKind::flow, ping_pongs), 6);
}

// Flits of whole nanoseconds, so that a thousandth is a whole picosecond; equal ones are frequent.
TEST(LinkClasses, OfRandomMessagesHaveTheSlopesOfFiniteDifferences) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        RandomStream stream(seed, 3);
        std::uint64_t n = 0;
        const auto draw = [&](std::uint64_t below) {
            return static_cast<std::uint32_t>(stream.below(n++, below));
        };
        const std::array machines{fat_tree(), torus(), torus_with_node_cables(), dragonfly()};
        TestMachine machine = machines.at(draw(machines.size()));
        for (LinkKind& links : machine.kinds) links.bandwidth = 8e9 / (1 + draw(4));
        machine.settings = fmt::format("[packet]\nsegment = \"{} B\"\nheader = \"{} B\"\nswitching = \"{}\"\n",
                                       std::array{64, 200, 4096}.at(draw(3)), std::array{0, 12}.at(draw(2)),
                                       std::array{"cut-through", "wormhole"}.at(draw(2)));
        const std::uint32_t other = 1 + draw(15);
        const Bytes bytes = draw(2) == 0 ? draw(500) : draw(50'000);
        const MakeScript script = [&] {
            test::ActionScript made(16);
            ping_pong(made, 0, other, bytes);
            return made;
        };
        SCOPED_TRACE(fmt::format("seed {}, {} B to {}", seed, bytes, other));
        for (const NetworkKind kind : with_links) EXPECT_GT(compare(machine, kind, script, 1e-3), 0);
    }
}

// Any ranks send to any others, in an order that cannot block for ever; volumes and sizes without a common
// measure.
test::ActionScript random_messages(const std::function<std::uint32_t(std::uint64_t)>& draw) {
    test::ActionScript script(16);
    const std::uint32_t messages = 4 + draw(30);
    for (std::uint32_t i = 0; i < messages; ++i) {
        const std::uint32_t from = draw(16);
        const std::uint32_t to = (from + 1 + draw(15)) % 16;
        const Bytes bytes = draw(3) == 0 ? draw(500) : draw(60'000);
        script.compute(from, 1000 + draw(30'000)).message(from, ActionKind::send, to, bytes);
        script.compute(to, 1000 + draw(30'000)).message(to, ActionKind::recv, from, bytes);
    }
    return script;
}

struct Comparisons {
    int exact = 0;
    int bends = 0;       // the path is another one a little further on
    int first_order = 0; // messages wait for others
};

// Without waiting for others the run time is the longest of several sums, each linear in the time of a byte and
// in the latency of a class. So its change is at least that along the path, and exactly that up to where
// another sum becomes the longest.
void compare_random(const TestMachine& machine, NetworkKind kind, const MakeScript& script,
                    Comparisons& count) {
    constexpr double change_by = 1e-3;
    const EventPath path = path_on(machine, kind, script());
    EXPECT_TRUE(path.first_order || path.parts.contention == Time::zero()) << summary(path);
    if (path.first_order) {
        ++count.first_order;
        return;
    }
    const auto expect = [&](const std::string& what, const TestMachine& other, double change, Time slope) {
        const double measured = (path_on(other, kind, script()).time - path.time).picoseconds();
        const double predicted = change * slope.picoseconds();
        const auto rounding = static_cast<double>(path.steps + 1);
        EXPECT_GE(measured, predicted - rounding) << what << "\n" << machine.text() << summary(path);
        ++(measured > predicted + rounding ? count.bends : count.exact);
    };
    for (const LinkKind& links : machine.kinds) {
        const EventPathSlopes slopes = of(path, links.section).slopes;
        TestMachine other = machine;
        other.kind(links.section).bandwidth = links.bandwidth / (1 + change_by);
        expect(links.section + " slower", other, change_by, slopes.less_bandwidth);
        other.kind(links.section).bandwidth = links.bandwidth / (1 - change_by);
        expect(links.section + " faster", other, -change_by, slopes.more_bandwidth);
        other = machine;
        other.kind(links.section).latency_ns = links.latency_ns * (1 + change_by);
        expect(links.section + " further", other, change_by, slopes.latency);
        other.kind(links.section).latency_ns = links.latency_ns * (1 - change_by);
        expect(links.section + " nearer", other, -change_by, slopes.latency);
    }
}

TEST(LinkClasses, OfRandomTracesHaveTheSlopesOfFiniteDifferences) {
    for (const NetworkKind kind : with_links) {
        Comparisons count;
        for (std::uint64_t seed = 1; seed <= 150 && !testing::Test::HasFailure(); ++seed) {
            RandomStream stream(seed, 5);
            std::uint64_t n = 0;
            const std::function<std::uint32_t(std::uint64_t)> draw = [&](std::uint64_t below) {
                return static_cast<std::uint32_t>(stream.below(n++, below));
            };
            const std::array machines{fat_tree(), torus(), torus_with_node_cables(), dragonfly()};
            TestMachine machine = machines.at(draw(machines.size()));
            for (LinkKind& links : machine.kinds) links.bandwidth = 8e9 / (1 + draw(4));
            if (draw(2) == 0) machine.settings = rendezvous;
            machine.settings += "[packet]\nsegment = \"200 B\"\n";
            const test::ActionScript made = random_messages(draw);
            SCOPED_TRACE(fmt::format("seed {}, network {}", seed, static_cast<int>(kind)));
            compare_random(
                machine, kind, [&] { return made; }, count);
        }
        EXPECT_GT(count.exact, 300);
        EXPECT_LT(count.bends, count.exact / 20);
        EXPECT_GT(count.first_order, 10);
    }
}

// The first of the slowest links counts as the bottleneck. More bandwidth of its class alone gains nothing.
TEST(LinkClasses, ThatAreEquallySlowGainNothingAlone) {
    for (const NetworkKind kind : with_links) {
        const TestMachine machine = fat_tree(8e9, 8e9);
        compare(machine, kind, ping_pongs);
        const EventPath path = path_on(machine, kind, [] {
            test::ActionScript script(16);
            ping_pong(script, 0, 15, 100'000);
            return script;
        }());
        const EventPathLinkClass& hosts = of(path, "link.level1");
        EXPECT_GT(hosts.time.transmission, Time::us(20));
        EXPECT_GT(hosts.slopes.less_bandwidth, Time::us(20));
        EXPECT_EQ(hosts.slopes.more_bandwidth, Time::zero());
        EXPECT_GT(of(path, "link.level2").slopes.less_bandwidth, Time::us(20));
        const std::string text = summary(path, {.width = 1000});
        EXPECT_NE(text.find("1 % less bandwidth costs 0.6"), std::string::npos) << text;
        const nlohmann::json json = path;
        EXPECT_EQ(json["link_classes"][0]["sensitivity"]["more_bandwidth"], 0);
        EXPECT_LT(json["link_classes"][0]["sensitivity"]["less_bandwidth"], -0.6);
    }
}

TEST(LinkClasses, OfPacketsCountHeadersAndDelaysOfSwitches) {
    TestMachine machine = fat_tree();
    for (const std::string switching : {"cut-through", "wormhole"}) {
        machine.settings =
            fmt::format("[packet]\nsegment = \"1 KiB\"\nheader = \"64 B\"\nswitching = \"{}\"\n", switching);
        EXPECT_GE(compare(machine, NetworkKind::packet, ping_pongs), 6);
    }
    machine.settings = "[packet]\nswitch_delay = \"100 ns\"\n";
    const EventPath path = path_on(machine, NetworkKind::packet, ping_pongs());
    EXPECT_EQ((path.parts.latency - path.link_latency).ticks() % Time::ns(100).ticks(), 0);
    EXPECT_GT(path.parts.latency, path.link_latency);
}

// A window bounds the rate: the transmission follows the latency.
TEST(LinkClasses, FollowTheLatencyWhereAWindowBoundsTheRate) {
    TestMachine machine = fat_tree();
    machine.settings = "[flow]\nwindow = \"4096 B\"\n";
    const MakeScript far = [] {
        test::ActionScript script(16);
        ping_pong(script, 0, 15, 100'000);
        return script;
    };
    const EventPath path = path_on(machine, NetworkKind::flow, far());
    EXPECT_GT(path.parts.transmission, Time::us(90)); // 100 kB at 4096 B in 4 us
    EXPECT_EQ(path.link_transmission, Time::zero());
    EXPECT_EQ(path.link_latency, path.parts.latency + path.parts.transmission);
    for (const LinkKind& links : machine.kinds) {
        const EventPathLinkClass& all = of(path, links.section);
        EXPECT_EQ(all.time.transmission, Time::zero());
        EXPECT_EQ(all.slopes.less_bandwidth, Time::zero());
        TestMachine other = machine;
        other.kind(links.section).latency_ns *= 1.01;
        EXPECT_NEAR((path_on(other, NetworkKind::flow, far()).time - path.time).picoseconds(),
                    0.01 * all.slopes.latency.picoseconds(), 6);
        EXPECT_GT(all.slopes.latency, Time::us(20));
    }
}

TEST(LinkClasses, DoNotBoundWhatAHostCanSend) {
    TestMachine machine = fat_tree();
    machine.settings = "[kpacket]\ninjection = \"1 GB/s\"\n";
    const EventPath path = path_on(machine, NetworkKind::kpacket, ping_pongs());
    EXPECT_GT(path.parts.transmission, Time::us(1000));
    EXPECT_EQ(path.link_transmission, Time::zero());
    for (const EventPathLinkClass& each : path.link_classes) {
        EXPECT_EQ(each.time.transmission, Time::zero());
        EXPECT_EQ(each.slopes.less_bandwidth, Time::zero());
        EXPECT_GT(each.slopes.latency, Time::zero());
    }
}

TEST(LinkClasses, SayThatTheyAreFirstOrderWhereMessagesWait) {
    for (const NetworkKind kind : with_links) {
        TestMachine machine = fat_tree();
        machine.settings = "[endpoint]\neager_limit = \"1 MB\"\n";
        const EventPath path = path_on(machine, kind, incast());
        EXPECT_TRUE(path.first_order);
        EXPECT_GT(path.parts.contention, Time::us(10));
        EXPECT_EQ(of(path, "link.level1").time.contention, path.parts.contention);
        const std::string text = summary(path, {.width = 1000});
        EXPECT_NE(text.find("link.level1: latency"), std::string::npos) << text;
        EXPECT_NE(text.find("waiting for others"), std::string::npos) << text;
        EXPECT_NE(text.find("saves to first order: 1 % less latency"), std::string::npos) << text;
        const nlohmann::json json = path;
        EXPECT_TRUE(json["sensitivity"]["first_order"]);
        for (const nlohmann::json& each : json["link_classes"]) EXPECT_TRUE(each["sensitivity"]["first_order"]);
        // Indeed more bandwidth also shortens the waiting.
        TestMachine faster = machine;
        faster.kind("link.level1").bandwidth *= 1.01;
        EXPECT_GT((path.time - path_on(faster, kind, incast()).time).picoseconds(),
                  0.012 * of(path, "link.level1").slopes.more_bandwidth.picoseconds());
    }
}

TEST(LinkClasses, SayThatTheyAreExactWhereNobodyWaits) {
    const EventPath path = path_on(fat_tree(), NetworkKind::flow, ping_pongs());
    const std::string text = summary(path, {.width = 1000});
    EXPECT_NE(text.find("sensitivity   saves: 1 %"), std::string::npos) << text;
    EXPECT_EQ(text.find("first order"), std::string::npos) << text;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 12);
    const nlohmann::json json = path;
    EXPECT_FALSE(json["sensitivity"]["first_order"]);
    double latency = 0;
    double bandwidth = 0;
    for (const nlohmann::json& each : json["link_classes"]) {
        EXPECT_FALSE(each["sensitivity"]["first_order"]);
        latency += each["sensitivity"]["latency"].get<double>();
        bandwidth += each["sensitivity"]["more_bandwidth"].get<double>();
    }
    EXPECT_NEAR(latency, json["sensitivity"]["link_latency"].get<double>(), 1e-12);
    EXPECT_NEAR(bandwidth, json["sensitivity"]["link_bandwidth"].get<double>(), 1e-12);
}

} // namespace
} // namespace orrery::link_classes_test
