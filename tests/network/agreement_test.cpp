// The same messages over all networks: where nobody meets anybody they agree, and under contention flow and
// packet do.
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "network/flow/flow_network.h"
#include "network/flow/run_messages.h"
#include "network/kpacket/kpacket_network.h"
#include "network/packet/packet_network.h"

#include <gtest/gtest.h>

namespace orrery::agreement_test {
namespace {

using test::Message;

// Every network over one machine.
class Networks {
  public:
    explicit Networks(const std::string& topology)
        : machine_(machine_from_text("[host]\nspeed = '1Gf'\n[topology]\n" + topology +
                                         "\n[link]\nbandwidth = '1 GB/s'\nlatency = '1us'\n",
                                     "test.toml")),
          fabric_(*machine_.platform), routing_(make_routing(fabric_, machine_.settings)) {}

    std::vector<Time> flow(const std::vector<Message>& messages) const {
        FlowNetwork network(*machine_.platform, FlowParameters{});
        return test::run(network, messages).arrival;
    }
    std::vector<Time> kpacket(const std::vector<Message>& messages) const {
        KPacketNetwork network(*machine_.platform, KPacketParameters{});
        return test::run(network, messages).arrival;
    }
    std::vector<Time> packet(const std::vector<Message>& messages) const {
        PacketNetwork network(fabric_, *routing_, read_packet_parameters(machine_.settings, fabric_));
        return test::run(network, messages).arrival;
    }

  private:
    Machine machine_;
    Fabric fabric_;
    std::unique_ptr<Routing> routing_;
};

constexpr std::array topologies{"type = 'crossbar'\nhosts = 16", "type = 'fat-tree'\nlevels = '2; 4,4; 1,4'",
                                "type = 'dragonfly'\ngroups = 4\nrouters = 2\nhosts_per_router = 2"};

TEST(Agreement, WithoutContentionAllTakeTheSameTime) {
    for (const char* const topology : topologies) {
        const Networks networks(topology);
        for (const Bytes bytes : {Bytes{8}, Bytes{4096}, Bytes{1'000'000}, Bytes{123'456}}) {
            std::vector<Message> messages; // one after the other, none meets another
            for (std::uint32_t i = 1; i < 16; ++i)
                messages.push_back({{0}, {i}, bytes, Time::us(10'000 * static_cast<std::int64_t>(i))});
            const auto flow = networks.flow(messages);
            EXPECT_EQ(networks.kpacket(messages), flow) << topology << ": " << bytes;
            EXPECT_EQ(networks.packet(messages), flow) << topology << ": " << bytes; // whole flits
        }
        // Half a flit more is a whole one.
        const std::vector<Message> odd{{{0}, {15}, 1004, Time::zero()}};
        EXPECT_EQ(networks.packet(odd)[0] - networks.flow(odd)[0], Time::ns(4));
    }
}

Time last(const std::vector<Time>& times) { return *std::max_element(times.begin(), times.end()); }

TEST(Agreement, LongMessagesShareLinksAlikeInFlowAndPacket) {
    for (const char* const topology : {topologies[0], topologies[1]}) {
        const Networks networks(topology);
        std::vector<Message> alltoall;
        std::vector<Message> incast;
        for (std::uint32_t i = 0; i < 16; ++i) {
            for (std::uint32_t shift = 1; shift < 16; ++shift)
                alltoall.push_back({{i}, {(i + shift) % 16}, 1'000'000, Time::zero()});
            if (i > 0) incast.push_back({{i}, {0}, 1'000'000, Time::zero()});
        }
        for (const auto& messages : {alltoall, incast}) {
            const double flow = last(networks.flow(messages)).seconds();
            const double packet = last(networks.packet(messages)).seconds();
            EXPECT_NEAR(packet / flow, 1, 0.05) << topology;
        }
    }
}

} // namespace
} // namespace orrery::agreement_test
