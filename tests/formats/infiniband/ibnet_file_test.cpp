// InfiniBand fabrics: the files under data/fabric were made by OpenSM, ibnetdiscover and dump_lfts on ibsim.
#include "formats/infiniband/ibnet_file.h"
#include "formats/load_machine.h"

#include "machine/fabric/walks.h"
#include "machine/machine_file.h"
#include "machine/routing/imported.h"
#include "places.h"

namespace orrery::ibnet_file_test {
namespace {

std::string data(const std::string& name) { return read_whole_file(test_data() + "/fabric/" + name); }

std::vector<std::string> node_names(const Fabric& fabric, const ImportedRouting& routing,
                                    const std::string& from, const std::string& to, std::uint32_t number) {
    const HostId a = *fabric.platform().topology().find_host(from);
    const HostId b = *fabric.platform().topology().find_host(to);
    std::vector<LinkId> channels;
    routing.route(a, b, number, channels);
    std::vector<std::string> out;
    for (const NodeId node : nodes_of(fabric, a, channels)) out.push_back(fabric.name(node));
    return out;
}

using Names = std::vector<std::string>;

TEST(InfiniBand, AFatTreeOfOpenSMIsReadWithItsSpeeds) {
    const Machine machine = machine_from_text(data("tree.ibnet"), "tree.ibnet");
    const Fabric fabric(*machine.platform);
    expect_sound(fabric);
    expect_walks(fabric);
    EXPECT_EQ(fabric.host_count(), 16U);
    EXPECT_EQ(fabric.switch_count(), 6U);
    for (std::uint32_t i = 16; i < 22; ++i) {
        const NodeId node{i};
        EXPECT_EQ(fabric.level(node), fabric.name(node).starts_with("leaf") ? 1U : 2U);
        EXPECT_EQ(fabric.out(node)[0], no_link); // ports of switches begin at 1
        EXPECT_EQ(fabric.port_count(node), 9U);
    }
    EXPECT_EQ(fabric.channel(fabric.out(NodeId{0})[0]).bandwidth, 1e9); // 4xSDR
}

class InfiniBandTables : public testing::TestWithParam<const char*> {};

// dump_lfts, and the two files that OpenSM itself leaves, say the same.
TEST_P(InfiniBandTables, AreThePathsOfTheFabric) {
    const IbNet net = read_ibnet(data("tree.ibnet"), "tree.ibnet");
    const Machine machine = machine_from_text(data("tree.ibnet"), "tree.ibnet");
    const Fabric fabric(*machine.platform);
    const auto routing =
        imported_routes(convert_lfts(data(GetParam()), GetParam(), net), fabric, "tree.routes");
    // leaf3 sends to lid 1 (node00) by port 5, where spine0 is.
    EXPECT_EQ(node_names(fabric, *routing, "node12", "node00", 0),
              (Names{"node12", "leaf3", "spine0", "leaf0", "node00"}));
    EXPECT_EQ(node_names(fabric, *routing, "node15", "node01", 0),
              (Names{"node15", "leaf3", "spine1", "leaf0", "node01"}));
    for (std::uint32_t a = 0; a < 16; ++a) {
        for (std::uint32_t b = 0; b < 16; ++b) {
            if (a == b) continue;
            std::vector<LinkId> channels;
            routing->first_route({a}, {b}, channels);
            const auto nodes = nodes_of(fabric, {a}, channels);
            ASSERT_EQ(nodes.back(), NodeId{b});
            const bool same_leaf = fabric.channel(channels[0]).to == fabric.channel(channels.back()).from;
            ASSERT_EQ(channels.size(), same_leaf ? 2U : 4U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Dumps, InfiniBandTables,
                         testing::Values("tree.lfts", "tree-opensm.lfts", "tree.fdbs"));

TEST(InfiniBand, HostsWithTwoPortsHaveTwoWays) {
    const IbNet net = read_ibnet(data("ring.ibnet"), "ring.ibnet");
    const Machine machine = machine_from_text(data("ring.ibnet"), "ring.ibnet");
    const Fabric fabric(*machine.platform);
    EXPECT_EQ(fabric.host_count(), 5U);
    EXPECT_EQ(fabric.port_count(NodeId{0}), 2U);
    const auto routing =
        imported_routes(convert_lfts(data("ring.lfts"), "ring.lfts", net), fabric, "ring.routes");
    // node0 is at sw0 and sw1, node2 at sw2 and sw3.
    EXPECT_EQ(node_names(fabric, *routing, "node0", "node2", 0),
              (Names{"node0", "sw0", "sw1", "sw2", "node2"}));
    EXPECT_EQ(node_names(fabric, *routing, "node0", "node2", 1),
              (Names{"node0", "sw1", "sw2", "sw3", "node2"}));
    EXPECT_EQ(routing->decides(), Decides::per_message);
}

TEST(InfiniBand, AdaptersOfOneHostAreOneHostAndEqualNamesAreToldApart) {
    const IbNet net =
        read_ibnet("switchguid=0x5(5)\nSwitch\t4 \"S-5\"\t# \"sw\" base port 0 lid 9 lmc 0\n"
                   "[1]\t\"H-1\"[1](2)\t# \"n1 mlx5_0\" lid 1 4xHDR\n[2]\t\"H-2\"[1]\n[3]\t\"H-3\"[1]\n"
                   "[4]\t\"H-4\"[1]\n"
                   "Ca\t1 \"H-2\"\t# \"n1 mlx5_1\"\n[1](4)\t\"S-5\"[2]\t# lid 2 lmc 1 \"sw\" lid 9 4xHDR\n"
                   "Ca\t1 \"H-1\"\t# \"n1 mlx5_0\"\n[1](2)\t\"S-5\"[1]\t# lid 1 lmc 0 \"sw\" lid 9 4xHDR\n"
                   "Ca\t1 \"H-3\"\t# \"card\"\n[1](4)\t\"S-5\"[3]\n"
                   "Ca\t1 \"H-4\"\t# \"card\"\n[1](4)\t\"S-5\"[4]\n",
                   "x");
    std::vector<std::string> names;
    for (const Net::Node& node : net.net.nodes) names.push_back(node.name);
    EXPECT_EQ(names, (Names{"sw", "n1", "card@H-3", "card@H-4"}));
    ASSERT_EQ(net.ports.size(), 2U);
    EXPECT_EQ(net.ports[0].port, 1U); // mlx5_1
    EXPECT_EQ(net.ports[0].lmc, 1U);
    EXPECT_EQ(net.ports[1].port, 0U);
    EXPECT_EQ(net.net.cables[0].bandwidth, 25e9);
    const std::string routes =
        convert_lfts("Unicast lids of switch guid 0x5 (sw):\n0x0002 002 :\n0x0001 001 :\n", "l", net);
    EXPECT_NE(routes.find("lid 3 \"n1\" 1\n"), std::string::npos);
    EXPECT_NE(routes.find("switch \"sw\"\n2 2\n1 1\n"), std::string::npos);
}

TEST(InfiniBand, AggregationNodesAreNoHosts) {
    const Machine machine = machine_from_text(
        "Switch\t2 \"S-1\"\t# \"sw\"\n[1]\t\"H-1\"[1]\n[2]\t\"H-2\"[1]\nCa\t1 \"H-1\"\t# \"n1\"\n"
        "[1]\t\"S-1\"[1]\nCa\t1 \"H-2\"\t# \"Mellanox Technologies Aggregation Node\"\n[1]\t\"S-1\"[2]\n",
        "x");
    EXPECT_EQ(machine.platform->host_count(), 1U);
    EXPECT_EQ(machine.ignored, (Names{"x:6: Mellanox Technologies Aggregation Node (a part of its switch)"}));
}

TEST(InfiniBand, SpeedsOfCables) {
    EXPECT_EQ(ib_bandwidth("4xQDR"), 4e9);
    EXPECT_EQ(ib_bandwidth("4xEDR"), 12.5e9);
    EXPECT_EQ(ib_bandwidth("4xNDR"), 50e9);
    EXPECT_EQ(ib_bandwidth("1xFDR10"), 1.25e9);
    EXPECT_EQ(ib_bandwidth("99xEDR"), std::nullopt);
    EXPECT_EQ(ib_bandwidth("fast"), std::nullopt);
}

std::string complaint_about_ibnet(const std::string& text, const std::string& tables = {}) {
    try {
        const IbNet net = read_ibnet(text, "x.ibnet");
        if (!tables.empty()) convert_lfts(tables, "x.lfts", net);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no complaint";
}

TEST(InfiniBand, BadFilesAreNamedWithTheirLine) {
    EXPECT_EQ(complaint_about_ibnet("[1] \"S-1\"[2]\n"), "x.ibnet:1: a port before the first Switch or Ca");
    EXPECT_EQ(complaint_about_ibnet("Switch 3\n"), "x.ibnet:1: expected an identifier in quotes");
    EXPECT_EQ(complaint_about_ibnet("hello\n"),
              "x.ibnet:1: expected Switch, Ca, [port] or key=value, as ibnetdiscover prints them");
    EXPECT_EQ(complaint_about_ibnet("Switch 3 \"S-1\"\n[1] \"H-1\"\n"),
              "x.ibnet:2: expected a cable such as [1] \"S-0002c90300000001\"[4]");
    EXPECT_EQ(complaint_about_ibnet("Switch 3 \"S-1\"\n[1] \"H-1\"[1]\n"), "x.ibnet:2: there is no H-1");
    EXPECT_EQ(complaint_about_ibnet("Switch 3 \"S-1\"\nSwitch 3 \"S-1\"\n"), "x.ibnet:2: there is another S-1");
    const std::string pair = "switchguid=0x7\nSwitch 3 \"S-1\"\nCa 1 \"H-1\"\n[1] \"S-1\"[1] # lid 3 lmc 0\n";
    EXPECT_EQ(complaint_about_ibnet(pair, "nothing\n"), "x.lfts: has no forwarding tables");
    EXPECT_EQ(complaint_about_ibnet(pair, "0x0001 001\n"), "x.lfts:1: an entry before the first table");
    EXPECT_EQ(complaint_about_ibnet(pair, "Unicast lids of switch guid 0x8:\n"),
              "x.lfts:1: a table of switch 0x0000000000000008, which x.ibnet does not have");
    EXPECT_EQ(complaint_about_ibnet(pair, "Unicast lids of switch guid 0x7:\n0x0003 : x\n"),
              "x.lfts:2: expected a port after the lid");
    EXPECT_EQ(complaint_about_ibnet(pair, "Unicast lids of switch guid 0x7:\n0x0003 001\n"), "no complaint");
}

} // namespace
} // namespace orrery::ibnet_file_test
