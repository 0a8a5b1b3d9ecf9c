#include "network/packet/parameters.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::packet_parameters_test {

namespace {

PacketParameters read(std::initializer_list<const char*> assignments) {
    Settings settings;
    for (const char* const each : assignments) settings.set_from_option(each);
    return read_packet_parameters(settings);
}

std::string complaint(std::initializer_list<const char*> assignments) {
    try {
        read(assignments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

TEST(PacketParametersRead, Defaults) {
    const PacketParameters parameters = read({});
    EXPECT_EQ(parameters.segment, 4096U);
    EXPECT_EQ(parameters.queueing, Queueing::input);
    EXPECT_EQ(describe(parameters), "segments of 4 KiB, cut-through, credits, input queues of 32 KiB");
}

TEST(PacketParametersRead, Everything) {
    const PacketParameters parameters = read(
        {"packet.segment=1 KiB", "packet.header=16", "packet.flit=4", "packet.switching=wormhole",
         "packet.flow_control=stop_go", "packet.buffer=8 KiB", "packet.stop_mark=4 KiB", "packet.go_mark=1 KiB",
         "packet.switch_delay=50 ns", "packet.injection=in-order", "packet.first_turn=equal", "packet.seed=7",
         "packet.control_priority=yes", "packet.injection_bandwidth=2 GB/s"});
    EXPECT_EQ(parameters.segment, 1024U);
    EXPECT_EQ(parameters.header, 16U);
    EXPECT_EQ(parameters.flit, 4U);
    EXPECT_EQ(parameters.switching, Switching::wormhole);
    EXPECT_EQ(parameters.flow_control, FlowControl::stop_go);
    EXPECT_EQ(parameters.stop_mark, 4096U);
    EXPECT_EQ(parameters.go_mark, 1024U);
    EXPECT_EQ(parameters.switch_delay, Time::ns(50));
    EXPECT_EQ(parameters.injection, Injection::in_order);
    EXPECT_EQ(parameters.first_turn, FirstTurn::equal);
    EXPECT_EQ(parameters.seed, 7U);
    EXPECT_TRUE(parameters.control_priority);
    EXPECT_EQ(parameters.injection_bandwidth, 2e9);
    EXPECT_EQ(read({"packet.queueing=combined", "packet.speed_up=1.5"}).speed_up, 1.5);
    EXPECT_EQ(read({"packet.injection_bandwidth=0"}).injection_bandwidth, 0);
}

TEST(PacketParametersRead, EveryRowOfTheTableIsRead) {
    for (const Parameter& row : packet_parameters()) {
        EXPECT_NE(complaint({(std::string(row.key) + "=rubbish").c_str()}), "") << row.key;
    }
}

TEST(PacketParametersRead, RefusesWhatMakesNoSense) {
    EXPECT_NE(complaint({"packet.switching=wormhole", "packet.queueing=output"}).find("input"),
              std::string::npos);
    EXPECT_NE(complaint({"packet.switching=wormhole", "packet.queueing=combined"}), "");
    EXPECT_NE(complaint({"packet.buffer=1 KiB"}).find("whole segment"), std::string::npos);
    EXPECT_EQ(complaint({"packet.buffer=1 KiB", "packet.switching=wormhole"}), "");
    EXPECT_NE(complaint({"packet.buffer=4 KiB", "packet.header=1"}), "");
    EXPECT_NE(complaint({"packet.queueing=combined", "packet.output_buffer=1 KiB"}), "");
    EXPECT_NE(complaint({"packet.segment=0"}), "");
    EXPECT_NE(complaint({"packet.segment=2 TB"}), "");
    EXPECT_NE(complaint({"packet.flit=0"}), "");
    EXPECT_NE(complaint({"packet.speed_up=0.5"}), "");
    EXPECT_NE(complaint({"packet.seed=-1"}), "");
    EXPECT_NE(complaint({"packet.seed=1.5"}), "");
    EXPECT_NE(complaint({"packet.stop_mark=64 KiB"}), "");
    EXPECT_NE(complaint({"packet.stop_mark=4 KiB", "packet.go_mark=4 KiB"}), "");
    EXPECT_NE(complaint({"packet.switch_delay=5"}), "");
}

} // namespace

} // namespace orrery::packet_parameters_test
