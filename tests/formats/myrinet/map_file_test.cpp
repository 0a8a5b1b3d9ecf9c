// Myrinet maps are read with tolerance and refused with the line; every built-in topology goes there and back.
#include "formats/load_machine.h"
#include "formats/myrinet/map_file.h"

#include "machine/fabric/walks.h"
#include "machine/routing/imported.h"
#include "machine/routing/route_file.h"

#include <fmt/format.h>

namespace orrery::map_file_test {
namespace {

constexpr const char* two_rails = R"(# a map as GM's mapper leaves it
s - "left"
8
0 h - "a" 0
1 h - "b" 0
7 s - "right" 3

s - "right"
8
3 s - "left" 7
0 h - "a" 1

h - "a"
2
0 s - "left" 0
1 s - "right" 0
number 0
address 0060dd7f0001
gmId 1
hostType 0

h "b"
0 s "left" 1
)";

TEST(MyrinetMap, IsReadWithOrWithoutTheSmallPrint) {
    const Machine machine = machine_from_text(two_rails, "net.map");
    const Fabric fabric(*machine.platform);
    expect_sound(fabric);
    expect_walks(fabric);
    ASSERT_EQ(fabric.host_count(), 2U);
    ASSERT_EQ(fabric.switch_count(), 2U);
    EXPECT_EQ(fabric.name(NodeId{0}), "a");
    EXPECT_EQ(fabric.port_count(NodeId{0}), 2U); // two rails
    EXPECT_EQ(fabric.name(NodeId{2}), "left");
    EXPECT_EQ(fabric.channel(fabric.out(NodeId{2})[7]).to_port, 3U);
    EXPECT_EQ(fabric.out(NodeId{2})[4], no_link);
    EXPECT_EQ(fabric.level(NodeId{2}), 1U);
    const Setting* const bandwidth = machine.hardware.find("link.bandwidth");
    ASSERT_NE(bandwidth, nullptr);
    EXPECT_EQ(bandwidth->file, "default for Myrinet maps");
}

TEST(MyrinetMap, CablesAreAsTheSettingsSay) {
    const std::vector<std::string> overrides{"link.bandwidth=10 Gbit/s", "link.latency=1 us", "host.cores=4",
                                             "host.speed_by_burst=0: 1 Gf; 1e6: 2 Gf"};
    const Machine machine = machine_from_text(two_rails, "net.map", overrides);
    EXPECT_EQ(machine.platform->link({2}).bandwidth, 1.25e9);
    EXPECT_EQ(machine.platform->link({2}).latency, Time::us(1));
    EXPECT_EQ(machine.platform->host({1}).cores, 4U);
    EXPECT_EQ(machine.platform->speed({1}, 2e6), 2e9);
}

TEST(MyrinetMap, OneEndOfACableSpeaksForBoth) {
    const Machine machine =
        machine_from_text("h - \"a\"\nh - \"b\"\ns - \"s\"\n0 h - \"a\" 0\n1 h - \"b\" 0\n", "x.map");
    expect_walks(Fabric(*machine.platform));
}

std::string complaint_about_map(const std::string& text) {
    try {
        read_map(text, "x.map");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no complaint";
}

TEST(MyrinetMap, BadOnesAreNamedWithTheirLine) {
    EXPECT_EQ(complaint_about_map("s - \"s\"\n0 h - \"a\" 0\n"), "x.map:2: there is no host or switch 'a'");
    EXPECT_EQ(complaint_about_map("0 h - \"a\" 0\n"),
              "x.map:1: a port before the first stanza, which begins with h or s and a name");
    EXPECT_EQ(complaint_about_map("s - \"s\"\n\ns - \"s\"\n"), "x.map:3: there is another 's', in line 1");
    EXPECT_EQ(complaint_about_map("s - \"s\n"), "x.map:1: a quote is opened here and not closed");
    EXPECT_EQ(complaint_about_map("s - \"s\"\n4\n"), "x.map: has no hosts");
    EXPECT_EQ(complaint_about_map("h - \"a\"\n0 h - \"a\" 0\n"), "x.map:2: a cable from a to itself");
    EXPECT_EQ(complaint_about_map("h - \"a\"\ns - \"s\"\n0 s - \"a\" 0\n"),
              "x.map:3: a is a host, not a switch");
    EXPECT_EQ(complaint_about_map("h - \"a\"\ns - \"s\"\n70000 h - \"a\" 0\n"),
              "x.map:3: expected a number from 0 to 65535");
    EXPECT_EQ(complaint_about_map("h - \"a\"\n0 s - \"s\" 1\nh - \"b\"\n0 s - \"s\" 1\ns - \"s\"\n"),
              "x.map:4: port 0 of b is joined to port 1 of s, but that one to port 0 of a (line 2)");
    EXPECT_EQ(complaint_about_map("h - \"a\"\n0 s - \"s\" 1\ns - \"s\"\n1 h - \"a\" 3\n"),
              "x.map:2: port 0 of a is joined to port 1 of s, but that one to port 3 of a (line 4)");
    EXPECT_EQ(complaint_about_map("h - \"a\"\n0 s - \"s\" 1\n0 s - \"s\" 2\ns - \"s\"\n"),
              "x.map:3: port 0 of a was described in line 2");
    EXPECT_EQ(complaint_about_map("h - \"a\"\nlink 0 \"3 apples\" \"1 us\"\n").substr(0, 15),
              "x.map:2: link: ");
}

// What a way passes, in names and ports that both machines share.
std::vector<std::string> steps(const Fabric& fabric, std::span<const LinkId> channels) {
    std::vector<std::string> out;
    for (const LinkId link : channels) {
        const Channel& channel = fabric.channel(link);
        out.push_back(fmt::format("{}:{} {}:{}", fabric.name(channel.from), channel.from_port,
                                  fabric.name(channel.to), channel.to_port));
    }
    return out;
}

class MapRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(MapRoundTrip, KeepsNodesPortsCablesAndRoutes) {
    const auto platform = wired_platform(GetParam());
    const Fabric fabric(*platform);
    const auto routing = make_routing(fabric, {});
    const std::string map = write_map(fabric);
    for (const PortStyle style : {PortStyle::signed_turns, PortStyle::absolute}) {
        const std::string routes = write_routes(fabric, *routing, style);
        const Machine machine = machine_from_text(map, "x.map");
        const Fabric back(*machine.platform);
        expect_sound(back);
        ASSERT_EQ(back.node_count(), fabric.node_count());
        for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
            ASSERT_EQ(back.name(NodeId{i}), fabric.name(NodeId{i}));
            ASSERT_EQ(back.level(NodeId{i}), fabric.level(NodeId{i}));
            ASSERT_EQ(back.port_count(NodeId{i}), fabric.port_count(NodeId{i}));
        }
        const auto read = imported_routes(routes, back, "x.routes");
        for (std::uint32_t a = 0; a < fabric.host_count(); ++a) {
            for (std::uint32_t b = 0; b < fabric.host_count(); ++b) {
                if (a == b) continue;
                std::vector<Hop> hops;
                routing->path({a}, {b}, 0, no_load(), hops);
                std::vector<LinkId> there;
                for (const Hop hop : hops) there.push_back(hop.channel);
                std::vector<LinkId> here;
                read->first_route({a}, {b}, here);
                ASSERT_EQ(steps(back, here), steps(fabric, there));
                for (std::size_t i = 0; i < here.size(); ++i) {
                    const Channel& was = fabric.channel(there[i]);
                    if (was.bandwidth == 0) continue; // an injection channel, which has a cable in the map
                    ASSERT_EQ(back.channel(here[i]).bandwidth, was.bandwidth);
                    ASSERT_EQ(back.channel(here[i]).latency, was.latency);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, MapRoundTrip,
    testing::Values(
        "[topology]\ntype = 'crossbar'\nhosts = 5", "[topology]\ntype = 'cabinets'\ncabinets = [2, 3, 1]",
        "[topology]\ntype = 'fat-tree'\nlevels = '2; 4,3; 1,2; 1,3'\n[link.level2]\nbandwidth = '7.3 GB/s'",
        "[topology]\ntype = 'k-ary-n-tree'\nk = 2\nn = 3", "[topology]\ntype = 'torus'\ndimensions = [4, 3, 2]",
        "[topology]\ntype = 'mesh'\ndimensions = [3, 3]\nhosts_per_router = 2\n[link.node]\nlatency = '1234567 "
        "ps'",
        "[topology]\ntype = 'hypercube'\ndimensions = 4",
        "[topology]\ntype = 'hyperx'\ndimensions = [3, 3]\nhosts_per_router = 2",
        "[topology]\ntype = 'dragonfly'\ngroups = 3\nchassis = 2\nrouters = 2\nhosts_per_router = 2\nblue = 3",
        "[topology]\ntype = 'graph'\n[[hosts]]\nnames = 'a[0-3]'\nswitch = 's'\n[[hosts]]\nnames = 'b[0-3]'\n"
        "switch = 't'\n[[switches]]\nnames = 's, t'\n[[cables]]\nfrom = 's'\nto = 't'"));

} // namespace
} // namespace orrery::map_file_test
