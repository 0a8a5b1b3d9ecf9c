// What theory says of single messages, single queues and single switches. The literature: M. Karol, M. Hluchyj,
// S. Morgan, "Input versus output queueing on a space-division packet switch", 1987.
#include "network/packet/packet_machine.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace orrery::test::theory_test {

namespace {

// A message that meets nobody: latencies, a delay in each switch, and its length once (cut-through).
TEST(PacketTheory, ZeroLoadLatencyIsExact) {
    const char* const flits = "[packet]\nswitch_delay = \"7 ns\"\nsegment = \"512 B\"\n";
    for (const char* const topology :
         {"type = \"crossbar\"\nhosts = 5\n", "type = \"torus\"\ndimensions = \"4,3,2\"\n",
          "type = \"mesh\"\ndimensions = \"4,4\"\n", "type = \"hypercube\"\ndimensions = 4\n",
          "type = \"k-ary-n-tree\"\nk = 3\nn = 3\n", "type = \"fat-tree\"\nlevels = \"2; 4,3; 1,2\"\n",
          "type = \"hyperx\"\ndimensions = \"3,4\"\nhosts_per_router = 2\n",
          "type = \"dragonfly\"\ngroups = 5\nrouters = 4\nhosts_per_router = 2\n"}) {
        for (const char* const switching : {"cut-through", "wormhole"}) {
            const PacketMachine machine(std::string("[topology]\n") + topology + flits + "switching = \"" +
                                        switching + "\"\n");
            const std::unique_ptr<PacketNetwork> network = machine.network();
            const std::uint32_t hosts = machine.platform().host_count();
            std::vector<TransferId> arrived;
            for (std::uint32_t i = 0; i < hosts; ++i) {
                const HostId from{i};
                const HostId to{(i * 7 + 1) % hosts == i ? (i + 1) % hosts : (i * 7 + 1) % hosts};
                std::vector<Hop> path;
                machine.routing->path(from, to, 0, no_load(), path);
                Time expected = static_cast<std::int64_t>(path.size() - 1) * Time::ns(7) + Time::ns(50);
                for (const Hop& hop : path) expected += machine.fabric.channel(hop.channel).latency;
                const Time begin = Time::us(i);
                network->start(TransferId{0}, from, to, 400, begin);
                Time now;
                for (arrived.clear(); arrived.empty(); network->advance(now, arrived)) now = network->next();
                EXPECT_EQ((now - begin).ps(), expected.ps()) << topology << switching << " host " << i;
            }
        }
    }
}

// One host to another over a switch: a place in the buffer is known to be free 2 lambda + D + F T after it was
// taken, so b segments of buffer let through b F T in that time.
TEST(PacketTheory, CreditsGiveFullRateIffTheBufferHoldsARoundTrip) {
    constexpr std::uint32_t count = 400;
    for (const int segments : {1, 2, 3, 4, 5, 8}) {
        const PacketMachine machine(
            fmt::format("[topology]\ntype = \"crossbar\"\nhosts = 2\n"
                        "[packet]\nsegment = \"80 B\"\nbuffer = \"{} B\"\nswitch_delay = \"10 ns\"\n",
                        80 * segments));
        const std::unique_ptr<PacketNetwork> network = machine.network();
        network->start(TransferId{0}, HostId{0}, HostId{1}, Bytes{80} * count, Time::zero());
        std::vector<TransferId> arrived;
        Time now;
        for (; arrived.empty(); network->advance(now, arrived)) now = network->next();
        const double rate = 10.0 * count / (now.seconds() * 1e9); // flits per ns
        EXPECT_NEAR(rate, std::min(1.0, segments * 10.0 / (2 * 10 + 10 + 10)), 0.02) << segments;
    }
}

// A sender twice as fast as the way on. It is stopped and set going again; the way on never waits for it iff
// what is left at the go mark lasts for a round trip.
TEST(PacketTheory, StopAndGoKeepsTheWayOnBusyIffTheGoMarkHoldsARoundTrip) {
    constexpr std::uint32_t count = 2000;
    const auto rate = [&](std::uint32_t go_mark) { // in flits; a round trip is 2 * 40 ns of 1/2 flit each
        const PacketMachine machine(fmt::format(
            "[topology]\ntype = \"graph\"\n[[hosts]]\nnames = \"a, b\"\n[[switches]]\nnames = \"s\"\n"
            "[[cables]]\nfrom = \"a\"\nto = \"s\"\nlatency = \"40 ns\"\n"
            "[[cables]]\nfrom = \"b\"\nto = \"s\"\nbandwidth = \"4 GB/s\"\n"
            "[packet]\nsegment = \"8 B\"\nflow_control = \"stop-go\"\nbuffer = \"4 KiB\"\n"
            "stop_mark = \"{} B\"\ngo_mark = \"{} B\"\n",
            8 * 200, 8 * go_mark));
        const std::unique_ptr<PacketNetwork> network = machine.network();
        network->start(TransferId{0}, HostId{0}, HostId{1}, Bytes{8} * count, Time::zero());
        std::vector<TransferId> arrived;
        Time now;
        for (; arrived.empty(); network->advance(now, arrived)) now = network->next();
        return 2.0 * count / ((now - Time::ns(50)).seconds() * 1e9); // of what the slower channel can do
    };
    EXPECT_GT(rate(41), 0.999);
    EXPECT_LT(rate(30), 0.99);
    EXPECT_LT(rate(10), rate(30));
}

// n hosts that send to n others over one switch: the model of Karol et al., whose inputs and outputs are apart.
class SwitchOf {
  public:
    SwitchOf(std::uint32_t ports, const std::string& packet)
        : machine_(fmt::format("[topology]\ntype = \"crossbar\"\nhosts = {}\n[packet]\nsegment = \"512 B\"\n"
                               "buffer = \"512 KiB\"\noutput_buffer = \"512 KiB\"\n{}",
                               2 * ports, packet)) {
        const std::filesystem::path file =
            std::filesystem::path(testing::TempDir()) / fmt::format("switch_of_{}_{}", ports, getpid());
        std::ofstream lines(file);
        for (std::uint32_t i = 0; i < ports; ++i) {
            for (std::uint32_t j = 0; j < ports; ++j) lines << i << ' ' << ports + j << '\n';
        }
        lines.close();
        pattern_ = std::make_unique<TrafficPattern>(machine_.platform(), file.string(), 1);
        std::filesystem::remove(file);
    }
    [[nodiscard]] TrafficPoint at(double load, std::uint64_t slots) const {
        return machine_.traffic(*pattern_, load, slots);
    }

  private:
    PacketMachine machine_;
    std::unique_ptr<TrafficPattern> pattern_;
};

// Table I of Karol et al.
const std::map<std::uint32_t, double> karol{{2, 0.75},   {3, 0.6825}, {4, 0.6553}, {5, 0.6399},
                                            {6, 0.6302}, {7, 0.6234}, {8, 0.6184}};

TEST(PacketTheory, InputQueuesSaturateAsKarolSays) {
    for (const std::uint32_t ports : {2U, 4U, 8U}) {
        EXPECT_NEAR(SwitchOf(ports, "").at(1, 3000).accepted, karol.at(ports), 0.015) << ports;
    }
    EXPECT_NEAR(SwitchOf(32, "").at(1, 600).accepted, 2 - std::sqrt(2), 0.015);
}

TEST(PacketTheory, OutputQueuesDoNotSaturate) {
    EXPECT_GT(SwitchOf(4, "queueing = \"output\"\n").at(1, 2000).accepted, 0.97);
    EXPECT_GT(SwitchOf(16, "queueing = \"output\"\n").at(1, 1000).accepted, 0.97);
}

TEST(PacketTheory, ACrossbarOfTwiceTheSpeedComesNearToThat) {
    EXPECT_GT(SwitchOf(16, "queueing = \"combined\"\nspeed_up = 2\n").at(1, 1000).accepted, 0.96);
    const double slow = SwitchOf(16, "queueing = \"combined\"\nspeed_up = 1\n").at(1, 1000).accepted;
    EXPECT_NEAR(slow, 0.60, 0.02); // no better than input queues
}

// Mean wait of slotted uniform traffic at an output queue: (n - 1) / n * p / (2 (1 - p)) slots.
TEST(PacketTheory, OutputQueuesWaitAsQueueingTheorySays) {
    for (const double load : {0.5, 0.8}) {
        const TrafficPoint point = SwitchOf(8, "queueing = \"output\"\n").at(load, 8000);
        const double wait = (point.mean_latency * 1e-3 - 20 - 64) / 64; // slots
        EXPECT_NEAR(wait, 7.0 / 8 * load / (2 * (1 - load)), 0.04 * (1 + load / (1 - load))) << load;
    }
}

class SlowPacketTheory : public testing::Test {};

TEST_F(SlowPacketTheory, KarolsWholeTable) {
    for (const auto& [ports, throughput] : karol) {
        EXPECT_NEAR(SwitchOf(ports, "").at(1, 60'000).accepted, throughput, 0.005) << ports;
    }
    EXPECT_NEAR(SwitchOf(128, "").at(1, 3000).accepted, 2 - std::sqrt(2), 0.006);
}

} // namespace

} // namespace orrery::test::theory_test
