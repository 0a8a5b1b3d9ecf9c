// The twin itself, against times worked out by hand from docs/packet.md.
#include "reference/flit_network.h"
#include "reference/random_packets.h"
#include "reference/wired_network.h"

#include <gtest/gtest.h>

namespace orrery::reference::flit_twin_test {

namespace {

// Hosts 0..n-1, each with a cable to one switch; a flit of 8 bytes takes a nanosecond.
struct Star {
    explicit Star(std::uint32_t hosts, Time latency = Time::ns(10)) {
        plan.hosts = hosts;
        plan.switches = 1;
        for (std::uint32_t i = 0; i < hosts; ++i) plan.cables.push_back({i, hosts, 8e9, latency});
        platform = make_platform(plan);
        fabric = std::make_unique<Fabric>(*platform);
        parameters.segment = 64;
        parameters.buffer = 256;
        parameters.switch_delay = Time::ns(5);
        parameters.first_turn = FirstTurn::equal;
    }
    FlitRun run(const std::vector<FlitMessage>& messages) const {
        const TableRouting routing = random_shortest_paths(*fabric, 1, 1);
        return run_flits(*fabric, routing, parameters, messages);
    }

    WiredPlan plan;
    PacketParameters parameters;
    std::unique_ptr<Platform> platform;
    std::unique_ptr<Fabric> fabric;
};

FlitMessage message(std::uint32_t from, std::uint32_t to, Bytes bytes, Time time = {}) {
    return {HostId{from}, HostId{to}, bytes, time, false};
}

TEST(FlitTwin, ALoneSegmentTakesLatenciesDelaysAndItsLength) {
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
        Star star(2);
        star.parameters.switching = switching;
        // 10 + 10 ns of cables, 5 ns of the switch, 8 flits.
        EXPECT_EQ(star.run({message(0, 1, 64)}).arrivals[0], Time::ns(33));
        // Four segments follow one another without a gap.
        EXPECT_EQ(star.run({message(0, 1, 256)}).arrivals[0], Time::ns(25 + 32));
    }
}

TEST(FlitTwin, AFasterChannelWaitsUntilItWillNotRunDry) {
    Star star(2);
    star.plan.cables[0].bandwidth = 4e9; // 2 ns per flit
    star.platform = make_platform(star.plan);
    star.fabric = std::make_unique<Fabric>(*star.platform);
    const FlitRun run = star.run({message(0, 1, 64)});
    // first = 15, last = 15 + 16: the second channel starts 8 flits before last.
    ASSERT_EQ(run.traversals.size(), 2U);
    EXPECT_EQ(run.traversals[1].start, Time::ns(23));
    EXPECT_EQ(run.arrivals[0], Time::ns(41));
}

TEST(FlitTwin, InputsTakeTurns) {
    const Star star(3);
    const FlitRun run = star.run({message(0, 2, 128), message(1, 2, 128)});
    // All are available in pairs; input 0 goes first, and they alternate: 15, 23, 31, 39.
    EXPECT_EQ(run.arrivals[0], Time::ns(31 + 8 + 10));
    EXPECT_EQ(run.arrivals[1], Time::ns(39 + 8 + 10));
}

TEST(FlitTwin, CreditsComeBackAfterTheRoundTrip) {
    Star star(2);
    star.parameters.buffer = 64; // one segment
    // It leaves the buffer at 23; the sender knows at 33 and starts: a segment each 33 ns.
    const FlitRun run = star.run({message(0, 1, 192)});
    EXPECT_EQ(run.traversals[2].start, Time::ns(33));
    EXPECT_EQ(run.traversals[4].start, Time::ns(66));
    EXPECT_EQ(run.arrivals[0], Time::ns(66 + 33));
}

TEST(FlitTwin, StopAndGoReachTheSenderOneLatencyLater) {
    Star star(3);
    star.parameters.flow_control = FlowControl::stop_go;
    star.parameters.stop_mark = Bytes{16} * 8;
    star.parameters.go_mark = Bytes{8} * 8;
    star.parameters.buffer = Bytes{128} * 8;
    // Host 1 keeps the way to host 2 busy from 15 to 15 + 80; host 0's segments pile up from 10 on.
    star.parameters.segment = 640;
    const std::vector<FlitMessage> block{message(1, 2, 640),
                                         message(0, 2, 64, Time::ns(1)),
                                         message(0, 2, 64, Time::ns(1)),
                                         message(0, 2, 64, Time::ns(1)),
                                         message(0, 2, 64, Time::ns(1)),
                                         message(0, 2, 64, Time::ns(1)),
                                         message(0, 2, 64, Time::ns(1))};
    const FlitRun run = star.run(block);
    std::vector<Time> starts;
    for (const FlitTraversal& each : run.traversals) {
        if (each.channel == LinkId{0}) starts.push_back(each.start);
    }
    // At 1, 9, 17, 25; the second one's first bit raises the count to 16 at 19, stop is heard at 29. The buffer
    // holds four; they leave from 95 on; it holds one after 119, go is heard at 129.
    ASSERT_EQ(starts.size(), 6U);
    EXPECT_EQ(starts[3], Time::ns(25));
    EXPECT_EQ(starts[4], Time::ns(129));
}

TEST(FlitTwin, HeadOfLineBlockingOnlyWithInputQueues) {
    const std::vector<FlitMessage> messages{message(1, 2, 640), message(0, 2, 64, Time::ns(1)),
                                            message(0, 3, 64, Time::ns(1))};
    Star star(4);
    star.parameters.segment = 640;
    star.parameters.buffer = 1024;
    star.parameters.output_buffer = 1024;
    EXPECT_EQ(star.run(messages).arrivals[2], Time::ns(15 + 80 + 8 + 8 + 10)); // behind the one for host 2
    star.parameters.queueing = Queueing::output;
    EXPECT_EQ(star.run(messages).arrivals[2], Time::ns(1 + 8 + 33)); // as if it were alone
    star.parameters.queueing = Queueing::combined;
    // The crossbar to host 2 is busy from 15 to 95 (the long segment arrives no faster), so it waits as well.
    EXPECT_EQ(star.run(messages).arrivals[2], Time::ns(95 + 4 + 8 + 10));
}

} // namespace

} // namespace orrery::reference::flit_twin_test
