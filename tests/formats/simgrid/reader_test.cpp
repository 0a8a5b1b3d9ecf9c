#include "formats/simgrid/reader.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::simgrid::reader_test {
namespace {

PlatformFile read(const std::string& body, const std::string& version = "4.1") {
    return read_platform(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"simgrid.dtd\">\n<platform version='" + version +
            "'>\n" + body + "\n</platform>\n",
        "p.xml", {});
}

std::string complaint(const std::string& body, const std::string& version = "4.1") {
    try {
        (void)read(body, version);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no complaint";
}

// Two hosts a and b with a link; the body begins in line 4.
std::string zone(const std::string& more, const std::string& routing = "Full") {
    return "<zone id='z' routing='" + routing +
           "'>\n<host id='a' speed='1Gf'/><host id='b' speed='2Gf' core='4'/>\n<link id='l' bandwidth='1GBps' "
           "latency='1us'/>\n" +
           more + "\n</zone>";
}

TEST(SimGridReader, ConfigBecomesSettings) {
    const PlatformFile file =
        read("<config><prop id='smpi/os' value='0:1e-6:0'/>\n<prop id='network/model' value='SMPI'/>"
             "</config>\n" +
             zone("<route src='a' dst='b'><link_ctn id='l'/></route>"));
    EXPECT_EQ(file.settings.find("smpi.os")->value, "0:1e-6:0");
    EXPECT_EQ(file.settings.find("network.model")->line, 5U);
    EXPECT_EQ(file.platform->host_count(), 2U);
    EXPECT_EQ(file.platform->host({1}).cores, 4U);
}

TEST(SimGridReader, LoopbackOfConfig) {
    const PlatformFile file =
        read("<config><prop id='network/loopback-bw' value='3GBps'/></config>" + zone(""));
    std::vector<LinkId> links;
    file.platform->route({0}, {0}, links);
    ASSERT_EQ(links.size(), 1U);
    EXPECT_EQ(file.platform->link(links[0]).bandwidth, 3e9);
    EXPECT_EQ(file.platform->link(links[0]).sharing, Sharing::fat_pipe);
    EXPECT_EQ(file.platform->topology().link_name(links[0]), "loopback");
}

TEST(SimGridReader, OldNamesAndUnits) {
    const PlatformFile file =
        read("<AS id='z' routing='Floyd'><host id='a' speed='1Gf, 3Gf' pstate='1'/>"
             "<host id='b' speed='100Mf'/><link id='l' bandwidth='1Gbps' latency='2m' "
             "sharing_policy='FULLDUPLEX'/>"
             "<route src='a' dst='b' symmetrical='NO'><link_ctn id='l' direction='DOWN'/></route></AS>",
             "4");
    EXPECT_EQ(file.platform->host({0}).speed, 3e9);
    std::vector<LinkId> links;
    file.platform->route({0}, {1}, links);
    EXPECT_EQ(file.platform->topology().link_name(links.at(0)), "l_DOWN");
    EXPECT_EQ(file.platform->link(links[0]).latency, Time::us(120'000'000));
    EXPECT_THROW(file.platform->route({1}, {0}, links), InputError);
}

TEST(SimGridReader, WhatIsPassedOverIsNamedOnce) {
    const PlatformFile file =
        read("<zone id='z' routing='Full'>\n<host id='a' speed='1Gf'><prop id='watts' value='9'/>"
             "<disk id='d' read_bw='1MBps' write_bw='1MBps'/></host>\n"
             "<host id='b' speed='1Gf'><prop id='watts' value='9'/></host></zone>\n"
             "<actor host='a' function='f'/>");
    EXPECT_EQ(file.ignored, (std::vector<std::string>{"p.xml:7: <actor>", "p.xml:5: <disk>",
                                                      "p.xml:5: property 'watts' of a host"}));
}

TEST(SimGridReader, Versions) {
    EXPECT_NE(complaint(zone(""), "3").find("p.xml:3: <platform>: version 3 is too old"), std::string::npos);
    EXPECT_NE(complaint(zone(""), "3").find("simgrid_update_xml"), std::string::npos);
    EXPECT_NE(complaint(zone(""), "5").find("newer than 4.1"), std::string::npos);
    EXPECT_NE(complaint(zone(""), "x").find("not a number"), std::string::npos);
}

TEST(SimGridReader, UnsupportedPartsAreNamed) {
    EXPECT_EQ(complaint("<zone id='z' routing='Vivaldi'/>"),
              "p.xml:4: <zone>: routing Vivaldi is not supported");
    EXPECT_EQ(complaint("<zone id='z' routing='Wifi'/>"), "p.xml:4: <zone>: routing Wifi is not supported");
    EXPECT_EQ(complaint(zone("<link id='w' bandwidth='1MBps' sharing_policy='WIFI'/>")),
              "p.xml:7: <link>: sharing_policy WIFI is not supported");
    EXPECT_EQ(complaint(zone("<host id='c' speed='1Gf' state_file='x'/>")),
              "p.xml:7: <host>: state_file: profiles are not supported");
    EXPECT_EQ(complaint(zone("<peer id='c'/>")), "p.xml:7: <peer>: is not supported");
    EXPECT_EQ(complaint(zone("<rout src='a' dst='b'/>")),
              "p.xml:7: <rout>: is unknown, or not allowed here; did you mean <route>?");
    EXPECT_EQ(complaint(zone("<host id='c' speed='1Gf'><prop id='smpi/os' value='1'/></host>")),
              "p.xml:7: <prop>: smpi/os of a single host is not supported; put it into <config>");
}

TEST(SimGridReader, BadValuesAreNamedWithTheirLine) {
    EXPECT_EQ(complaint(zone("<link id='m' bandwidth='125000000'/>")),
              "p.xml:7: <link>: bandwidth: '125000000' is not a bandwidth with its unit, such as 10 Gbit/s, "
              "1.25 GB/s or "
              "56Gbps: the unit is missing");
    EXPECT_EQ(complaint(zone("<link id='m' bandwidth='0MBps'/>")),
              "p.xml:7: <link>: bandwidth: a bandwidth must be more than zero");
    EXPECT_NE(complaint(zone("<link id='m' bandwidth='-5MBps'/>"))
                  .find("p.xml:7: <link>: bandwidth: '-5MBps' is not"),
              std::string::npos);
    EXPECT_EQ(complaint(zone("<link id='m' bandwith='1MBps'/>")),
              "p.xml:7: <link>: unknown attribute 'bandwith'; did you mean 'bandwidth'?");
    EXPECT_EQ(complaint(zone("<host id='c'/>")), "p.xml:7: <host>: attribute 'speed' is missing");
    EXPECT_EQ(complaint(zone("<host id='c' speed='1Gf' pstate='2'/>")),
              "p.xml:7: <host>: pstate 2 is asked for, but there is only 1");
    EXPECT_EQ(complaint(zone("<host id='c' speed='1Gf' core='0'/>")),
              "p.xml:7: <host>: core: a host has at least one core");
    EXPECT_EQ(complaint(zone("<host id='a' speed='1Gf'/>")),
              "p.xml:7: <host>: there is another host, router or zone 'a'");
    EXPECT_EQ(complaint(zone("<link id='l' bandwidth='1MBps'/>")),
              "p.xml:7: <link>: there is another link 'l'");
    EXPECT_NE(complaint("<zone id='z' routing='Ful'/>").find("routing: 'Ful' is not one of Full, Floyd"),
              std::string::npos);
    EXPECT_EQ(complaint("<zone id='z' routing='Full'/>"), "p.xml:3: <platform>: there is no host in it");
    EXPECT_EQ(complaint(""), "p.xml:3: <platform>: there is no zone or cluster in it");
}

TEST(SimGridReader, BadRoutes) {
    const auto route = [](const std::string& text) { return complaint(zone(text)); };
    EXPECT_EQ(route("<route src='a' dst='c'><link_ctn id='l'/></route>"),
              "p.xml:7: <route>: dst: there is no host, router or zone 'c'; did you mean 'a'?");
    EXPECT_EQ(route("<route src='a' dst='b'>\n<link_ctn id='k'/></route>"),
              "p.xml:8: <link_ctn>: there is no link 'k' before this line; did you mean 'l'?");
    EXPECT_EQ(route("<route src='a' dst='b'></route>"),
              "p.xml:7: <route>: a route has at least one <link_ctn>");
    EXPECT_EQ(route("<route src='a' dst='b'><link_ctn id='l' direction='UP'/></route>"),
              "p.xml:7: <link_ctn>: link 'l' is not split-duplex: it has no direction");
    EXPECT_EQ(
        route("<link id='d' bandwidth='1MBps' sharing_policy='SPLITDUPLEX'/>\n<route src='a' dst='b'><link_ctn "
              "id='d'/></route>"),
        "p.xml:8: <link_ctn>: link 'd' is split-duplex: direction UP or DOWN is missing");
    EXPECT_EQ(
        route("<route src='a' dst='b'><link_ctn id='l'/></route>\n<route src='b' dst='a'><link_ctn "
              "id='l'/></route>"),
        "p.xml:8: <route>: there is another route from b to a (routes are symmetrical unless told otherwise)");
    EXPECT_NE(complaint(zone("<route src='a' dst='b'><link_ctn id='l'/></route>", "None"))
                  .find("the zone finds its own"),
              std::string::npos);
}

TEST(SimGridReader, BadGateways) {
    const std::string zones =
        "<zone id='w' routing='Full'>\n<zone id='x' routing='Full'><host id='a' speed='1Gf'/></zone>\n"
        "<zone id='y' routing='Full'><host id='b' speed='1Gf'/></zone>\n"
        "<link id='l' bandwidth='1GBps'/>\n";
    const auto route = [&](const std::string& text) { return complaint(zones + text + "</zone>"); };
    EXPECT_EQ(route("<zoneRoute src='x' dst='y' gw_src='a'><link_ctn id='l'/></zoneRoute>"),
              "p.xml:8: <zoneRoute>: gateway 'gw_dst' is missing");
    EXPECT_EQ(route("<zoneRoute src='x' dst='y' gw_src='b' gw_dst='b'><link_ctn id='l'/></zoneRoute>"),
              "p.xml:8: <zoneRoute>: gw_src: 'b' is not in zone 'x'");
    EXPECT_EQ(route("<zoneRoute src='x' dst='y' gw_src='x' gw_dst='b'><link_ctn id='l'/></zoneRoute>"),
              "p.xml:8: <zoneRoute>: gw_src: a gateway is a host or a router, but 'x' is a zone");
    EXPECT_EQ(route("<zoneRoute src='a' dst='y' gw_src='a' gw_dst='b'><link_ctn id='l'/></zoneRoute>"),
              "p.xml:8: <zoneRoute>: 'a' is not in this zone");
    EXPECT_EQ(route("<route src='x' dst='y'><link_ctn id='l'/></route>"),
              "p.xml:8: <route>: 'x' is a zone; <zoneRoute> joins zones");
}

TEST(SimGridReader, AnUnreachablePairNamesItsZone) {
    const PlatformFile file = read(zone(""));
    std::vector<LinkId> links;
    try {
        file.platform->route({0}, {1}, links);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "p.xml:4: zone 'z' has no route from a to b");
    }
}

TEST(SimGridReader, BadClusters) {
    const auto cluster = [](const std::string& more) {
        return complaint("<cluster id='c' prefix='n' suffix='' speed='1Gf' bw='1GBps' lat='1us' " + more +
                         "/>");
    };
    EXPECT_EQ(cluster(""), "p.xml:4: <cluster>: attribute 'radical' is missing");
    EXPECT_NE(cluster("radical='5-1'").find("runs backwards"), std::string::npos);
    EXPECT_NE(cluster("radical='0-99999999999'").find("more than"), std::string::npos);
    EXPECT_EQ(cluster("radical='0-9' topology='TORUS' topo_parameters='3,4'"),
              "p.xml:4: <cluster>: topo_parameters make 12 hosts, but radical names 10");
    EXPECT_NE(cluster("radical='0-9' topology='FAT_TREE' topo_parameters='2;5,2;1'")
                  .find("p.xml:4: <cluster>: topo_par"),
              std::string::npos);
    EXPECT_NE(cluster("radical='0-9' topology='DRAGONFLY' topo_parameters='2;5'").find("is not a dragonfly"),
              std::string::npos);
    EXPECT_NE(cluster("radical='0-9' topology='RING'").find("'RING' is not one of FLAT, FAT_TREE"),
              std::string::npos);
    EXPECT_EQ(cluster("radical='0-9' bb_lat='1us'"), "p.xml:4: <cluster>: bb_lat is given, but not bb_bw");
}

TEST(SimGridReader, Junk) {
    const auto junk = [](const std::string& text) {
        try {
            (void)read_platform(text, "p.xml", {});
        } catch (const InputError& error) {
            return error.error().line;
        }
        return std::uint64_t{999};
    };
    EXPECT_LE(junk(""), 1U);
    EXPECT_EQ(junk("<?xml version='1.0'?>\n<platform version='4.1'>\n<zone id='z'\n"), 3U);
    EXPECT_EQ(junk("<a/>"), 1U);
    EXPECT_LE(junk(std::string("\xff\xfe\x00junk", 7)), 1U);
    std::string deep = "<platform version='4.1'>";
    for (int i = 0; i < 5000; ++i) deep += "<zone id='z" + std::to_string(i) + "' routing='Full'>";
    EXPECT_NE(junk(deep), 999U);
    std::string closed = deep;
    for (int i = 0; i < 5000; ++i) closed += "</zone>";
    EXPECT_EQ(junk(closed + "</platform>"), 1U);
}

} // namespace
} // namespace orrery::simgrid::reader_test
