// Machines written for other programs, and read back where we can.
#include "formats/exchange/writers.h"
#include "formats/load_machine.h"

#include "machine/fabric/walks.h"
#include "machine/machine_file.h"
#include "machine/routing/route_file.h"
#include "machine/topologies/named_links.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::writers_test {
namespace {

class WrittenMachine : public testing::TestWithParam<const char*> {
  protected:
    Machine machine = machine_from_text(
        "[link]\nbandwidth = '1.1 GB/s'\nlatency = '1 us'\n" + std::string(GetParam()), "test.toml");
};

TEST_P(WrittenMachine, AsSimGridPlatformHasTheSameRoutes) {
    const std::string xml = write_simgrid(*machine.platform, "test");
    const Machine back = machine_from_text(xml, "test.xml");
    ASSERT_EQ(back.platform->host_count(), machine.platform->host_count());
    for (std::uint32_t a = 0; a < back.platform->host_count(); ++a) {
        ASSERT_EQ(back.platform->topology().host_name({a}), machine.platform->topology().host_name({a}));
        ASSERT_EQ(back.platform->host({a}).cores, machine.platform->host({a}).cores);
        for (std::uint32_t b = 0; b < back.platform->host_count(); ++b) {
            ASSERT_EQ(names_of_route(*back.platform, a, b), names_of_route(*machine.platform, a, b));
        }
    }
    std::vector<LinkId> here;
    std::vector<LinkId> there;
    machine.platform->route({0}, {machine.platform->host_count() - 1}, here);
    back.platform->route({0}, {machine.platform->host_count() - 1}, there);
    for (std::size_t i = 0; i < here.size(); ++i) {
        EXPECT_EQ(back.platform->link(there[i]).bandwidth, machine.platform->link(here[i]).bandwidth);
        EXPECT_EQ(back.platform->link(there[i]).latency, machine.platform->link(here[i]).latency);
    }
}

TEST_P(WrittenMachine, AsGraphHasTheSameWiring) {
    const Fabric fabric(*machine.platform);
    const Machine back = machine_from_text(write_graph_toml(fabric, machine, ""), "back.toml");
    const Fabric again(*back.platform);
    expect_sound(again);
    ASSERT_EQ(again.node_count(), fabric.node_count());
    for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
        const NodeId node{i};
        ASSERT_EQ(again.name(node), fabric.name(node));
        ASSERT_EQ(again.level(node), fabric.level(node));
        ASSERT_EQ(again.port_count(node), fabric.port_count(node));
        for (std::uint32_t port = 0; port < fabric.port_count(node); ++port) {
            const LinkId was = fabric.out(node)[port];
            const LinkId is = again.out(node)[port];
            ASSERT_EQ(is == no_link, was == no_link);
            if (is == no_link) continue;
            ASSERT_EQ(again.channel(is).to, fabric.channel(was).to);
            ASSERT_EQ(again.channel(is).to_port, fabric.channel(was).to_port);
            if (fabric.channel(was).bandwidth > 0) {
                ASSERT_EQ(again.channel(is).bandwidth, fabric.channel(was).bandwidth);
            }
            ASSERT_EQ(again.channel(is).latency, fabric.channel(was).latency);
        }
    }
    for (std::uint32_t i = 0; i < fabric.host_count(); ++i) {
        ASSERT_EQ(back.platform->host({i}).cores, machine.platform->host({i}).cores);
        ASSERT_EQ(back.platform->host({i}).speed, machine.platform->host({i}).speed);
    }
}

std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST_P(WrittenMachine, AsNedAndDotHasEveryCableOnce) {
    const Fabric fabric(*machine.platform);
    std::size_t channels = 0;
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) channels += fabric.is_channel({i}) ? 1 : 0;
    const std::string dot = write_dot(fabric, "test");
    EXPECT_EQ(occurrences(dot, " -- "), channels / 2);
    EXPECT_EQ(occurrences(dot, "[label = "), fabric.node_count());
    const NedFiles files = write_ned(fabric, "8-way test");
    EXPECT_EQ(occurrences(files.ned, "DatarateChannel {"), channels / 2);
    EXPECT_NE(files.ned.find("module _8_way_test\n"), std::string::npos);
    EXPECT_NE(files.ned.find("connections allowunconnected:"), std::string::npos);
    EXPECT_EQ(occurrences(files.ned, "{"), occurrences(files.ned, "}"));
    EXPECT_EQ(occurrences(files.ini, ".label = "), fabric.node_count());
    EXPECT_EQ(occurrences(files.ini, ".address = "), fabric.host_count());
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, WrittenMachine,
    testing::Values(
        "[topology]\ntype = 'crossbar'\nhosts = 5\n[host]\ncores = 3\nspeed = '1.7 Gf'",
        "[topology]\ntype = 'cabinets'\ncabinets = [2, 3, 1]\n[loopback]\nbandwidth = '5 GB/s'",
        "[topology]\ntype = 'fat-tree'\nlevels = '2; 4,3; 1,2; 1,3'\n[link.level2]\nlatency = '1234567 ps'",
        "[topology]\ntype = 'torus'\ndimensions = [4, 3]",
        "[topology]\ntype = 'mesh'\ndimensions = [3, 3]\nhosts_per_router = 2",
        "[topology]\ntype = 'hypercube'\ndimensions = 3",
        "[topology]\ntype = 'hyperx'\ndimensions = [3, 2]\nhosts_per_router = 2",
        "[topology]\ntype = 'dragonfly'\ngroups = 3\nrouters = 2\nhosts_per_router = 2\nblue = 3\n"
        "[flow]\nset = 'fabric'"));

TEST(WrittenMachines, KeepTheirSettingsAndNameTheirRoutes) {
    const Machine machine =
        machine_from_text("[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = "
                          "'crossbar'\nhosts = 4\n[flow]\nset = 'fabric'",
                          "a.toml");
    const Fabric fabric(*machine.platform);
    const MachineText text = read_machine_text(write_graph_toml(fabric, machine, "a.routes"), "b.toml");
    EXPECT_EQ(text.values.word("flow.set", ""), "fabric");
    EXPECT_EQ(text.values.word("routing.file", ""), "a.routes");
    EXPECT_EQ(text.values.word("routing.policy", ""), "file");
}

TEST(WrittenMachines, SimGridHasALimit) {
    const auto platform = wired_platform("[topology]\ntype = 'crossbar'\nhosts = 1025");
    EXPECT_THROW(write_simgrid(*platform, "large"), InputError);
}

} // namespace
} // namespace orrery::writers_test
