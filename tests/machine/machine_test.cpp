#include "formats/load_machine.h"
#include "machine/machine.h"

#include "engine/error.h"
#include "machine/built_in.h"
#include "machine/machine_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace orrery::machine_test {
namespace {

namespace fs = std::filesystem;

class MachineFiles : public testing::Test {
  protected:
    MachineFiles() : folder_(fs::path(testing::TempDir()) / ("machines_" + std::to_string(getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~MachineFiles() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }
    // The complaint, without the folder.
    std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {}) const {
        const std::string file = write("m.toml", text);
        try {
            (void)load_machine(file, overrides);
        } catch (const InputError& error) {
            std::string words = error.what();
            const std::string folder = folder_.string() + "/";
            for (auto at = words.find(folder); at != std::string::npos; at = words.find(folder)) {
                words.erase(at, folder.size());
            }
            return words;
        } catch (const UsageError& error) {
            return std::string("usage: ") + error.what();
        }
        return "no complaint";
    }

    fs::path folder_;
};

const std::string sound =
    "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'crossbar'\nhosts = 4\n";

TEST_F(MachineFiles, AllPartsOfAMachine) {
    const Machine machine = load_machine(write("small.toml", R"(
[machine]
description = "a test"
source = "invented"
[host]
speed = "3 Ginstr/s"
speed_by_burst = "0: 1 Ginstr/s; 1e6: 2 Ginstr/s"
cores = 8
prefix = "node-"
suffix = ".org"
numbers = "1-3,7"
[link]
bandwidth = "10 Gbit/s"
latency = "1.5 us"
sharing = "shared"
[loopback]
bandwidth = "20 GB/s"
latency = "100 ns"
[topology]
type = "crossbar"
hosts = 4
[flow]
set = "smpi"
source = "somewhere"
[loggops]
L = "2 us"
)"));
    EXPECT_EQ(machine.name, "small");
    EXPECT_EQ(machine.description, "a test");
    const Platform& platform = *machine.platform;
    EXPECT_EQ(platform.host_count(), 4U);
    EXPECT_EQ(platform.host({0}).cores, 8U);
    EXPECT_EQ(platform.topology().host_name({3}), "node-7.org");
    EXPECT_EQ(platform.speed({0}, 10), 1e9);
    EXPECT_EQ(platform.speed({0}, 1e6), 2e9);
    EXPECT_EQ(platform.link({0}).bandwidth, 20e9);
    EXPECT_EQ(platform.link({0}).sharing, Sharing::fat_pipe);
    EXPECT_EQ(platform.link({4}).bandwidth, 1.25e9);
    EXPECT_EQ(platform.link({4}).latency, Time::ns(1500));
    // What belongs to models is handed on, with its place; sources are not keys of a model.
    EXPECT_EQ(machine.settings.all().size(), 2U);
    EXPECT_EQ(machine.settings.find("flow.set")->line, 23U);
    EXPECT_EQ(machine.hardware.find("flow.source")->value, "somewhere");
}

TEST_F(MachineFiles, OverridesAndTheirAliases) {
    const std::string file = write("m.toml", sound);
    const std::vector<std::string> overrides{"network.latency=2us", "network.bandwidth=2 GB/s",
                                             "host.speed=5 Gf", "topology.hosts=9", "flow.set=lv08"};
    const Machine machine = load_machine(file, overrides);
    EXPECT_EQ(machine.platform->host_count(), 9U);
    EXPECT_EQ(machine.platform->link({9}).latency, Time::us(2));
    EXPECT_EQ(machine.platform->link({9}).bandwidth, 2e9);
    EXPECT_EQ(machine.platform->host({0}).speed, 5e9);
    EXPECT_EQ(machine.settings.find("flow.set")->value, "lv08");
    EXPECT_EQ(origin_words(*machine.hardware.find("link.latency")), "--set");
    EXPECT_EQ(origin_words(*machine.hardware.find("topology.type")), file + ":5");
}

TEST_F(MachineFiles, IncludesComeFirst) {
    write("base.toml", sound);
    const Machine machine = load_machine(
        write("m.toml", "include = 'base.toml'\n[link]\nlatency = '7 us'\n[topology]\nhosts = 6\n"));
    EXPECT_EQ(machine.platform->host_count(), 6U);
    EXPECT_EQ(machine.platform->link({6}).latency, Time::us(7));
    EXPECT_EQ(machine.hardware.find("link.bandwidth")->file, (folder_ / "base.toml").string());
    EXPECT_EQ(
        load_machine(write("n.toml", "include = ['odin']\n[topology]\nhosts = 2\n")).platform->host_count(),
        2U);
}

TEST_F(MachineFiles, IncludesThatFail) {
    write("a.toml", "include = 'm.toml'\n");
    EXPECT_EQ(complaint("\ninclude = 'a.toml'\n"),
              "a.toml:1: include: 'm.toml' includes itself: m.toml -> a.toml -> m.toml");
    EXPECT_EQ(complaint("include = 'odinn'\n"), "m.toml:1: include: there is no file 'odinn', nor a built-in "
                                                "machine of that name; did you mean 'odin'?");
    EXPECT_EQ(complaint("include = 3\n"), "m.toml:1: include: expected a name or a list of names");
}

TEST_F(MachineFiles, BadInputIsNamedWithItsPlace) {
    const auto with = [&](const std::string& more) { return complaint(sound + more); };
    EXPECT_EQ(with("[host]\nspeed = 5\n"), "m.toml:8: host.speed: '5' is not a rate with its unit, such as 3.5 "
                                           "Ginstr/s, 8 Gflop/s or 1Gf: the unit is missing");
    EXPECT_EQ(
        complaint("[link]\nbandwidth = 125000000\nlatency = '1us'\n[topology]\ntype = 'crossbar'\nhosts = 2\n"),
        "m.toml:2: link.bandwidth: '125000000' is not a bandwidth with its unit, such as 10 Gbit/s, 1.25 GB/s "
        "or "
        "56Gbps: the unit is missing");
    EXPECT_NE(
        complaint("[link]\nbandwidth = '-1 GB/s'\nlatency = '1us'\n[topology]\ntype = 'crossbar'\nhosts = 2\n")
            .find("m.toml:2: link.bandwidth: '-1 GB/s' is not"),
        std::string::npos);
    EXPECT_EQ(
        complaint("[link]\nbandwidth = '0 GB/s'\nlatency = '1us'\n[topology]\ntype = 'crossbar'\nhosts = 2\n"),
        "m.toml:2: link.bandwidth: a bandwidth must be more than zero");
    EXPECT_EQ(with("[host]\ncoers = 5\n"), "m.toml:8: unknown key 'host.coers'; did you mean 'host.cores'?");
    EXPECT_EQ(with("[host]\ncores = 0\n"), "m.toml:8: host.cores: must be from 1 to 16777216");
    EXPECT_EQ(with("[backbone]\nbandwidth = '1 GB/s'\n"),
              "m.toml:8: 'backbone.bandwidth' has no meaning for the topology 'crossbar'");
    EXPECT_EQ(with("[host]\nnumbers = '0-2'\n"),
              "m.toml:8: host.numbers: names 3 hosts, but topology.hosts makes 4");
    EXPECT_EQ(with("[loopback]\nsharing = 'none'\n"),
              "m.toml:8: loopback.sharing = 'none'; expected shared or fat-pipe");
    EXPECT_EQ(with("[[hosts]]\nnames = 'a'\n"),
              "m.toml:7: [[hosts]] has a meaning only for the topology 'graph'");
    EXPECT_EQ(with("[host]\nspeed_by_burst = '5: 1 Gf; 5: 2 Gf'\n"),
              "m.toml:8: host.speed_by_burst: ' 5: 2 Gf': sizes must ascend from 0");
    EXPECT_EQ(complaint("[topology]\ntype = 'crossbar'\nhosts = 3\n"),
              "m.toml: link.latency is missing; expected something like 1 us");
    EXPECT_EQ(complaint("[topology]\ntype = 'torsu'\n"),
              "m.toml:2: topology.type = 'torsu'; expected one of crossbar, cluster, cabinets, fat-tree, "
              "k-ary-n-tree, torus, mesh, hypercube, hyperx, dragonfly, graph; did you mean torus?");
    EXPECT_EQ(complaint("speed = 3\n"),
              "m.toml:1: 'speed' stands outside of all sections; expected [machine], [host], "
              "[link], [topology] or another section first");
    EXPECT_NE(complaint("[link]\nbandwidth = \n").find("m.toml:2:"), std::string::npos);
    EXPECT_NE(complaint(std::string("\x00\x01\xff junk", 8)).find("m.toml:1:"), std::string::npos);
    EXPECT_EQ(complaint(sound, {"link.latncy=3us"}),
              "usage: --set: unknown key 'link.latncy'; did you mean 'link.latency'?");
    EXPECT_NE(complaint(sound, {"link.latency"}).find("usage: --set link.latency"), std::string::npos);
}

TEST_F(MachineFiles, HugeCountsAreRefused) {
    const std::string link = "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n";
    for (const char* topology :
         {"type = 'crossbar'\nhosts = 99999999999", "type = 'torus'\ndimensions = [60000, 60000, 60000]",
          "type = 'fat-tree'\nlevels = '3; 9999,9999,9999; 1,1,1'", "type = 'hypercube'\ndimensions = 40",
          "type = 'dragonfly'\ngroups = 99999\nrouters = 999\nhosts_per_router = 99",
          "type = 'cabinets'\ncabinets = 10000\nhosts_per_cabinet = 10000",
          "type = 'fat-tree'\nlevels = '2; 4000,4000; 1000,1000'"}) {
        const std::string words = complaint(link + "[topology]\n" + topology + "\n");
        EXPECT_TRUE(words.starts_with("m.toml:") || words.find("links") != std::string::npos) << words;
        EXPECT_NE(words, "no complaint") << topology;
    }
}

TEST_F(MachineFiles, BadTopologies) {
    const std::string link = "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\n";
    EXPECT_EQ(complaint(link + "type = 'fat-tree'\nlevels = '2; 4; 1; 1'\n"),
              "m.toml:6: topology.levels: '2; 4; 1; 1' has 2 levels, but 1 counts of children, 1 of parents, 1 "
              "of cables");
    EXPECT_NE(
        complaint(link + "type = 'fat-tree'\nlevels = '2; 0,4; 1,1'\n").find("m.toml:6: topology.levels:"),
        std::string::npos);
    EXPECT_NE(complaint(link + "type = 'torus'\ndimensions = '4,x'\nlimiter = 3\n").find("m.toml:"),
              std::string::npos);
    EXPECT_EQ(complaint(link + "type = 'torus'\ndimensions = [2, 2]\n[link.dimension3]\nlatency = '1us'\n"),
              "m.toml:8: unknown key 'link.dimension3.latency'; did you mean 'link.dimension1.latency'?");
    EXPECT_EQ(
        complaint(link +
                  "type = 'dragonfly'\ngroups = 9\nrouters = 3\nhosts_per_router = 1\nsimgrid_quirks = true\n"),
        "m.toml:9: topology.simgrid_quirks: router number j of a group leads to group j, so 9 groups need as "
        "many "
        "routers; there are 3 in a chassis");
}

const std::string graph = R"([link]
bandwidth = "1 GB/s"
latency = "1 us"
[topology]
type = "graph"
[[hosts]]
names = "n[0-3]"
switch = "s0"
[[hosts]]
names = ["a", "b"]
speed = "2 Gf"
cores = 3
[[switches]]
names = "s[0-1]"
[[cables]]
from = "s0"
to = "s1"
bandwidth = "10 GB/s"
[[cables]]
from = "s1"
to = "a"
)";

TEST_F(MachineFiles, Graphs) {
    const Machine machine =
        load_machine(write("m.toml", graph + "[[cables]]\nfrom = 'b'\nto = 'a'\nname = 'x'\n"));
    const Platform& platform = *machine.platform;
    EXPECT_EQ(platform.host_count(), 6U);
    EXPECT_EQ(platform.host({4}).cores, 3U);
    const HostId n0 = *platform.topology().find_host("n0");
    const HostId b = *platform.topology().find_host("b");
    std::vector<LinkId> links;
    platform.route(n0, b, links);
    ASSERT_EQ(links.size(), 4U); // n0-s0, s0-s1, s1-a, x
    EXPECT_EQ(platform.topology().link_name(links[0]), "n0-s0 (n0 to s0)");
    EXPECT_EQ(platform.link(links[1]).bandwidth, 10e9);
    EXPECT_EQ(platform.topology().link_name(links[3]), "x (a to b)");
}

TEST_F(MachineFiles, BadGraphs) {
    EXPECT_EQ(complaint(graph + "[[cables]]\nfrom = 's9'\nto = 'b'\n"),
              "m.toml:22: [[cables]]: from: there is no host or switch 's9'; did you mean 's0'?");
    EXPECT_EQ(complaint(graph + "[[cables]]\nfrm = 's1'\nto = 'b'\n"),
              "m.toml:23: unknown key 'cables.frm'; did you mean 'cables.from'?");
    EXPECT_EQ(complaint(graph + "[[switches]]\nnames = 'a'\n"),
              "m.toml:22: [[switches]]: there is another 'a', in line 9");
    EXPECT_EQ(complaint(graph + "[[routes]]\nfrom = 'n0'\nto = 'a'\ncables = ['n0-s0', 's1-a']\n"),
              "m.toml:22: the route from a to n0 does not hold together: cable 'n0-s0' does not touch s1");
    EXPECT_EQ(complaint("[topology]\ntype = 'graph'\n"), "m.toml: the graph has no [[hosts]]");
    // b has no cable.
    const Machine machine = load_machine(write("m.toml", graph));
    std::vector<LinkId> links;
    try {
        machine.platform->route(*machine.platform->topology().find_host("b"), {0}, links);
        FAIL() << "b cannot be reached";
    } catch (const InputError& error) {
        EXPECT_EQ(error.error().line, 9U);
        EXPECT_EQ(error.error().reason, "there is no route from b to n0 (line 6)");
    }
}

TEST_F(MachineFiles, AnyMachineTakesSimGridsQuirks) {
    const std::vector<std::string> quirks{"topology.simgrid_quirks=yes"};
    for (const BuiltInMachine& each : built_in_machines()) {
        if (each.name == "frontier-like") continue; // SimGrid has no dragonfly with so many groups
        EXPECT_NE(load_machine(std::string(each.name), quirks).platform, nullptr);
    }
    EXPECT_EQ(load_machine(write("l.toml", "[loggops]\nL = '1us'\n"), quirks).platform, nullptr);
}

TEST_F(MachineFiles, OfAnotherKind) {
    EXPECT_THROW((void)load_machine((folder_ / "none.toml").string()), InputError);
    EXPECT_THROW((void)load_machine("no-such-machine"), UsageError);
    EXPECT_EQ(load_machine(write("plain", sound)).platform->host_count(), 4U);
    // XML by its content, and a machine without hardware.
    const std::string xml =
        write("platform", "<?xml version='1.0'?><platform version='4.1'><zone id='z' routing='Full'>"
                          "<host id='h' speed='1Gf'/></zone></platform>");
    EXPECT_EQ(load_machine(xml).platform->host_count(), 1U);
    EXPECT_EQ(load_machine(write("l.toml", "[loggops]\nL = '1us'\nsource = 'x'\n")).platform, nullptr);
    EXPECT_EQ(complaint("[host]\ncores = 2\n"),
              "m.toml: topology.type is missing; expected something like crossbar");
}

} // namespace
} // namespace orrery::machine_test
