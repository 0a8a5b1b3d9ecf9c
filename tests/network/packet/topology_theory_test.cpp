// What theory says of whole networks under random traffic: bisection bounds, permutations without conflict, and
// the worst patterns. Loads are shares of a host's injection bandwidth, which is that of a link.
#include "network/packet/packet_machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orrery::test::topology_theory_test {

namespace {

constexpr const char* one_segment = "[packet]\nsegment = \"512 B\"\n";

PacketMachine grid(const std::string& type, const std::string& dimensions, const std::string& policy = "auto") {
    return PacketMachine(
        fmt::format("[topology]\ntype = \"{}\"\ndimensions = \"{}\"\n[routing]\npolicy = \"{}\"\n{}", type,
                    dimensions, policy, one_segment));
}

// At most 8/k of the injection bandwidth on a torus, 4/k on a mesh: half of the messages cross the middle.
TEST(PacketTopologyTheory, BisectionBoundsTorusAndMesh) {
    const double torus16 = grid("torus", "16").traffic("uniform", 1, 400).accepted;
    EXPECT_LE(torus16, 8.0 / 16);
    EXPECT_GT(torus16, 0.6 * 8 / 16);
    const double mesh8 = grid("mesh", "8,8").traffic("uniform", 1, 200).accepted;
    EXPECT_LE(mesh8, 4.0 / 8);
    EXPECT_NEAR(mesh8, 0.43, 0.04); // a cycle simulator with four small virtual channels: 0.395
    const double mesh16 = grid("mesh", "16").traffic("uniform", 1, 400).accepted;
    EXPECT_LE(mesh16, 4.0 / 16);
    EXPECT_GT(mesh16, 0.8 * 4 / 16);
    // 8/4 is no bound: neither links nor hosts are short.
    EXPECT_GT(grid("torus", "4,4,4").traffic("uniform", 0.8, 200).accepted, 0.78);
}

// Tornado on a ring of k: each channel carries k/2 - 1 flows; Valiant's detours make it half of uniform
// traffic.
TEST(PacketTopologyTheory, TornadoOnARing) {
    const PacketMachine direct = grid("torus", "8");
    EXPECT_GT(direct.traffic("tornado", 0.30, 500).accepted, 0.97 * 0.30);
    EXPECT_LT(direct.traffic("tornado", 0.36, 1000).accepted, 1.0 / 3);
    const PacketMachine valiant = grid("torus", "8", "valiant");
    EXPECT_GT(valiant.traffic("tornado", 0.37, 500).accepted, 0.97 * 0.37);
    EXPECT_LT(valiant.traffic("tornado", 0.55, 1000).accepted, 0.5);
}

TEST(PacketTopologyTheory, HypercubeCarriesBitComplementAtFullRate) {
    const PacketMachine cube = grid("hypercube", "5");
    EXPECT_GT(cube.traffic("bit-complement", 1, 100).accepted, 0.995);
    EXPECT_GT(cube.traffic("uniform", 0.85, 300).accepted, 0.97 * 0.85);
}

Time time_of_all(const PacketMachine& machine, std::uint32_t shift) {
    const std::unique_ptr<PacketNetwork> network = machine.network();
    const std::uint32_t hosts = machine.platform().host_count();
    for (std::uint32_t i = 0; i < hosts; ++i) {
        network->start(TransferId{i}, HostId{i}, HostId{(i + shift) % hosts}, Bytes{64} * 512, Time::zero());
    }
    std::vector<TransferId> arrived;
    Time now;
    while (arrived.size() < hosts) {
        now = network->next();
        network->advance(now, arrived);
    }
    return now;
}

// D-mod-k: of all messages of a shift no two share a channel of a full tree, so all take as long as one alone.
void expect_shifts_without_conflict(const std::string& topology, std::uint32_t step) {
    const PacketMachine machine("[topology]\n" + topology + one_segment);
    const std::uint32_t hosts = machine.platform().host_count();
    for (std::uint32_t shift = 1; shift < hosts; shift += step) {
        std::size_t longest = 0;
        for (std::uint32_t i = 0; i < hosts; ++i) {
            std::vector<Hop> path;
            machine.routing->path(HostId{i}, HostId{(i + shift) % hosts}, 0, no_load(), path);
            longest = std::max(longest, path.size());
        }
        // 64 segments of 64 flits behind one another.
        EXPECT_EQ(time_of_all(machine, shift),
                  static_cast<std::int64_t>(longest) * Time::ns(10) + Time::ns(std::int64_t{64} * 64))
            << topology << " shift " << shift;
    }
}

TEST(PacketTopologyTheory, ShiftsHaveNoConflictsUnderDModK) {
    expect_shifts_without_conflict("type = \"k-ary-n-tree\"\nk = 4\nn = 2\n", 1);
    expect_shifts_without_conflict("type = \"k-ary-n-tree\"\nk = 3\nn = 3\n", 5);
}

PacketMachine dragonfly(const std::string& policy, const std::string& more = "") {
    return PacketMachine("[topology]\ntype = \"dragonfly\"\ngroups = 9\nrouters = 4\nhosts_per_router = "
                         "2\n[routing]\npolicy = \"" +
                         policy + "\"\n" + more + one_segment + "buffer = \"4 KiB\"\n");
}

// All a p = 8 hosts of a group send over the one cable to the next: 1/8. Detours over other groups: about 1/2.
TEST(PacketTopologyTheory, DragonflyAgainstTheWorstPattern) {
    const PacketMachine minimal = dragonfly("minimal");
    EXPECT_NEAR(minimal.traffic("group", 1, 400).accepted, 1.0 / 8, 0.005);
    EXPECT_GT(minimal.traffic("uniform", 0.6, 200).accepted, 0.97 * 0.6);
    const PacketMachine valiant = dragonfly("valiant");
    EXPECT_GT(valiant.traffic("group", 0.4, 400).accepted, 0.97 * 0.4);
    EXPECT_LE(valiant.traffic("group", 1, 400).accepted, 0.51);
    // UGAL goes the short way where that is free and takes detours where it is not.
    const PacketMachine ugal = dragonfly("ugal", "view = \"global\"\n");
    EXPECT_GT(ugal.traffic("uniform", 0.6, 200).accepted, 0.97 * 0.6);
    EXPECT_GT(ugal.traffic("group", 0.35, 400).accepted, 0.97 * 0.35);
    EXPECT_LT(ugal.traffic("uniform", 0.05, 400).mean_latency,
              1.02 * minimal.traffic("uniform", 0.05, 400).mean_latency);
}

class SlowPacketTopologyTheory : public testing::Test {};

TEST_F(SlowPacketTopologyTheory, ShiftsOfALargerTree) {
    expect_shifts_without_conflict("type = \"k-ary-n-tree\"\nk = 4\nn = 3\n", 3);
}

// What a cycle simulator found, with another pipeline and four virtual channels of eight flits: same order, not
// the same to a percent.
TEST_F(SlowPacketTopologyTheory, SaturationAsInACycleSimulator) {
    EXPECT_NEAR(grid("mesh", "8,8").traffic("uniform", 1, 1500).accepted, 0.395, 0.06);
    EXPECT_NEAR(grid("torus", "8,8").traffic("uniform", 1, 1500).accepted, 0.52, 0.14);
    EXPECT_NEAR(grid("torus", "4,4,4").traffic("uniform", 1, 1500).accepted, 0.89, 0.06);
    EXPECT_NEAR(grid("hypercube", "6").traffic("uniform", 1, 1500).accepted, 0.93, 0.05);
    const PacketMachine tree("[topology]\ntype = \"k-ary-n-tree\"\nk = 4\nn = 3\n[routing]\npolicy = "
                             "\"random\"\nper = \"packet\"\n" +
                             std::string(one_segment));
    EXPECT_NEAR(tree.traffic("uniform", 1, 1500).accepted, 0.72, 0.09);
    EXPECT_NEAR(dragonfly("minimal").traffic("uniform", 1, 1500).accepted, 0.84, 0.2);
}

} // namespace

} // namespace orrery::test::topology_theory_test
