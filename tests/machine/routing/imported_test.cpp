// Routes from files: source routes as turns or ports, several for a pair, and forwarding tables.
#include "formats/load_machine.h"
#include "machine/routing/imported.h"

#include "machine/fabric/walks.h"

#include <filesystem>
#include <fstream>

namespace orrery::imported_test {
namespace {

// a and b on s, c on t, two cables between s and t.
constexpr const char* small =
    "[topology]\ntype = 'graph'\n[[hosts]]\nnames = 'a, b'\nswitch = 's'\n"
    "[[hosts]]\nnames = 'c'\nswitch = 't'\n[[switches]]\nnames = 's, t'\n"
    "[[cables]]\nfrom = 's'\nto = 't'\nname = 'x'\n[[cables]]\nfrom = 's'\nto = 't'\nname = 'y'";

class RoutesFromFile : public testing::Test {
  protected:
    std::shared_ptr<const Platform> platform = wired_platform(small);
    Fabric fabric{*platform};

    std::vector<std::string> names(const ImportedRouting& routing, std::uint32_t from, std::uint32_t to,
                                   std::uint32_t number) const {
        std::vector<LinkId> channels;
        routing.route({from}, {to}, number, channels);
        std::vector<std::string> out;
        for (const NodeId node : nodes_of(fabric, {from}, channels)) out.push_back(fabric.name(node));
        return out;
    }
    std::string complaint(const std::string& text) const {
        try {
            const auto routing = imported_routes(text, fabric, "x.routes");
            std::vector<LinkId> channels;
            routing->first_route({0}, {2}, channels);
        } catch (const InputError& error) {
            return error.what();
        }
        return "no complaint";
    }
};

using Names = std::vector<std::string>;

// At s: a is port 0, b port 1, the cables to t ports 2 and 3; at t: c is port 0, the cables ports 1 and 2.
TEST_F(RoutesFromFile, TurnsAreAddedToThePortOfArrival) {
    const auto routing =
        imported_routes("route \"a\" \"b\" 1\nroute \"b\" \"a\" -1\nroute \"c\" \"b\" +2 -2\n", fabric, "x");
    EXPECT_EQ(names(*routing, 0, 1, 0), (Names{"a", "s", "b"}));
    EXPECT_EQ(names(*routing, 1, 0, 0), (Names{"b", "s", "a"}));
    EXPECT_EQ(names(*routing, 2, 1, 0), (Names{"c", "t", "s", "b"}));
    EXPECT_EQ(routing->route_count({0}, {2}), 0U);
    EXPECT_EQ(routing->decides(), Decides::per_pair);
}

TEST_F(RoutesFromFile, PortsCanBeAbsoluteAndSeveralRoutesServeAPairEvenly) {
    const auto routing = imported_routes(
        "routes absolute # as is\n\"a\" \"c\" 2 0\n\"a\" 0 \"c\" 3 0\n\"b\" \"c\" 3 0\n", fabric, "x");
    ASSERT_EQ(routing->route_count({0}, {2}), 2U);
    EXPECT_EQ(routing->decides(), Decides::per_message);
    std::map<std::uint32_t, int> taken; // by the second channel
    constexpr int draws = 1000;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        std::vector<Hop> hops;
        routing->path({0}, {2}, draw, no_load(), hops);
        ASSERT_EQ(hops.size(), 3U);
        ++taken[fabric.channel(hops[1].channel).from_port];
        std::vector<Hop> again;
        routing->path({0}, {2}, draw, no_load(), again);
        ASSERT_EQ(hops, again);
    }
    ASSERT_EQ(taken.size(), 2U);
    EXPECT_NEAR(taken[2], draws / 2, 60);
    struct Counter final : PathSink {
        int count = 0;
        void path(std::span<const Hop> hops) override { count += hops.size() == 3 ? 1 : 0; }
    } all;
    EXPECT_TRUE(routing->paths({0}, {2}, 10, all));
    EXPECT_EQ(all.count, 2);
    EXPECT_FALSE(routing->paths({0}, {2}, 1, all));
}

TEST_F(RoutesFromFile, ForwardingTablesAreFollowedSwitchBySwitch) {
    const std::string tables = "tables\nlid 1 \"a\" 0\nlid 2 \"b\" 0\nlid 4 \"c\"\nlid 5 \"c\" 0\n"
                               "switch \"s\"\n1 0\n2 1\n4 2\n5 3\nswitch \"t\"\n1 1\n2 2\n4 0\n5 0\n";
    const auto routing = imported_routes(tables, fabric, "x");
    EXPECT_EQ(names(*routing, 0, 1, 0), (Names{"a", "s", "b"}));
    EXPECT_EQ(names(*routing, 2, 0, 0), (Names{"c", "t", "s", "a"}));
    ASSERT_EQ(routing->route_count({0}, {2}), 2U);
    std::vector<LinkId> channels;
    routing->route({0}, {2}, 1, channels);
    EXPECT_EQ(fabric.channel(channels[1]).from_port, 3U);
}

TEST_F(RoutesFromFile, BadOnesAreNamedWithTheirLine) {
    EXPECT_EQ(complaint("# nothing\n"), "x.routes: has no route from a to c");
    EXPECT_EQ(complaint("\nroute \"a\" \"z\" 1\n"), "x.routes:2: the machine has no 'z'");
    EXPECT_EQ(complaint("route \"a\" \"s\" 1\n"), "x.routes:1: s is a switch, not a host");
    EXPECT_EQ(complaint("route \"a\"\n"),
              "x.routes:1: expected route \"from\" \"to\" and a turn for each switch");
    EXPECT_EQ(complaint("route \"a\" \"c\" 9\n"), "x.routes:1: port 9 of s is not joined to anything");
    EXPECT_EQ(complaint("route \"a\" \"c\" -1\n"), "x.routes:1: turn -1 leads to port -1 of s");
    EXPECT_EQ(complaint("route \"a\" \"c\" 2\n"), "x.routes:1: the route ends at t, not at c");
    EXPECT_EQ(complaint("route \"a\" \"c\" 1\n"), "x.routes:1: the route ends at b, not at c");
    EXPECT_EQ(complaint("route \"a\" \"c\" 2 -1 3\n"),
              "x.routes:1: the route has reached c, but has a turn left");
    EXPECT_EQ(complaint("route \"a\" \"c\" two\n"), "x.routes:1: 'two' is not a turn");
    EXPECT_EQ(complaint("route \"a\" 4 \"c\" 2 -1\n"), "x.routes:1: port 4 of a is not joined to anything");
    EXPECT_EQ(complaint("tables\n1 2\n"), "x.routes:2: an entry before the first switch");
    EXPECT_EQ(complaint("tables\nswitch \"s\"\n1 2\n"), "x.routes:3: no line says which host has lid 1");
    EXPECT_EQ(complaint("tables\nlid 1 \"c\"\nlid 1 \"c\"\n"), "x.routes:3: there is another lid 1");
    EXPECT_EQ(complaint("tables\nlid 1 \"c\"\nswitch \"s\"\n1 2\n"),
              "x.routes:2: from a to c (lid 1) the tables lead nowhere");
    EXPECT_EQ(complaint("tables\nlid 1 \"c\"\nswitch \"s\"\n1 2\nswitch \"t\"\n1 1\n"),
              "x.routes:2: from a to c (lid 1) the tables form a cycle");
    EXPECT_EQ(complaint("tables\nlid 1 \"c\"\nswitch \"s\"\n1 1\n"),
              "x.routes:2: from a to c (lid 1) the tables lead to b");
}

TEST_F(RoutesFromFile, AMachineFileNamesThemAndAllNetworksFollow) {
    const auto folder = std::filesystem::path(testing::TempDir()) / "orrery_routes_from_file";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "detour.routes")
        << "routes absolute\nroute \"a\" \"c\" 3 0\nroute \"b\" \"c\" 2 0\n";
    std::ofstream(folder / "m.toml")
        << "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[routing]\npolicy = 'file'\n"
           "file = 'detour.routes'\n"
        << small;
    const Machine machine = load_machine((folder / "m.toml").string());
    std::vector<LinkId> links;
    machine.platform->route({0}, {2}, links);
    ASSERT_EQ(links.size(), 3U);
    EXPECT_EQ(machine.platform->topology().link_name(links[1]), "y (s to t)");
    const Fabric wired(*machine.platform);
    const auto routing = make_routing(wired, machine.settings);
    std::vector<Hop> hops;
    routing->path({0}, {2}, 0, no_load(), hops);
    EXPECT_EQ(hops[1].channel, links[1]);
    links.clear();
    EXPECT_THROW(machine.platform->route({2}, {0}, links), InputError);
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace orrery::imported_test
