// What happens in a network as a Paraver trace: told by hand, so that every number can be checked.
#include "observe/paraver/network_trace.h"
#include "observe/paraver/prv_file.h"

#include <gtest/gtest.h>

namespace orrery::network_trace_test {
namespace {

using observe_test::PrvCommunication;
using observe_test::PrvEvent;
using observe_test::PrvFile;
using observe_test::temporary_file;

// Two hosts on a switch, whose ports 0 and 1 they hang on. Channels: 0 from the first host, 1 back to it, 2 to
// the second, 3 back from it; 4 is no channel.
NetworkMap two_hosts() {
    NetworkMap map;
    map.nodes = {{"a", 1}, {"b", 1}, {"switch", 2}};
    map.channels = {{0, 2, 0, 0, Time::ns(10)},
                    {2, 0, 0, 0, Time::ns(10)},
                    {2, 1, 1, 0, Time::ns(20)},
                    {1, 2, 0, 1, Time::ns(20)},
                    {0, 0, 0, 0, {}}};
    return map;
}

using Who = std::array<std::uint64_t, 3>;
constexpr Who host_a{1, 1, 1};
constexpr Who host_b{1, 2, 1};
constexpr Who switch_a{1, 3, 1}; // the port to a
constexpr Who switch_b{1, 3, 2};

// Message 5 of 3000 bytes in two segments, with a stop and a blocking on the way.
PrvFile tell(const char* name, Bytes quantum) {
    const std::string path = temporary_file(name);
    ParaverNetworkTrace trace(path, two_hosts(), quantum);
    trace.message({5, HostId{0}, HostId{1}, 3000, false, Time::ns(100)});
    trace.backlog(LinkId{0}, Time::ns(110), 2000);
    trace.traversal({LinkId{0}, 0, 5, 0, false, 2000, Time::ns(100), Time::ns(100), Time::ns(300)});
    trace.stop(LinkId{0}, Time::ns(310));
    trace.backlog(LinkId{0}, Time::ns(310), 3000);
    trace.traversal({LinkId{0}, 0, 5, 1, true, 1000, Time::ns(100), Time::ns(300), Time::ns(400)});
    trace.blocked(LinkId{0}, Time::ns(410));
    trace.unblocked(LinkId{0}, Time::ns(450));
    trace.traversal({LinkId{2}, 0, 5, 0, false, 2000, Time::ns(210), Time::ns(250), Time::ns(450)});
    trace.backlog(LinkId{0}, Time::ns(450), 1000);
    trace.go(LinkId{0}, Time::ns(460));
    trace.traversal({LinkId{2}, 0, 5, 1, true, 1000, Time::ns(410), Time::ns(450), Time::ns(550)});
    trace.backlog(LinkId{0}, Time::ns(550), 0);
    trace.arrived(5, Time::ns(570));
    trace.finish(Time::ns(1000));
    return PrvFile(path);
}

TEST(ParaverNetworkTrace, HasATaskPerNodeAndAThreadPerPort) {
    const PrvFile file = tell("shape.prv", 1000);
    ASSERT_EQ(file.all_complaints(), "");
    EXPECT_TRUE(file.cpus.empty());
    ASSERT_EQ(file.tasks.size(), 1U);
    ASSERT_EQ(file.tasks[0].size(), 3U);
    EXPECT_EQ(file.tasks[0][2][0], 2U);
    EXPECT_EQ(file.labels.at("TASK")[2], "switch");
    EXPECT_EQ(file.labels.at("THREAD")[3], "switch port 1");
    EXPECT_EQ(file.end, 1000U);
}

TEST(ParaverNetworkTrace, ARecordForEachLinkThatTheMessagePasses) {
    const PrvFile file = tell("passages.prv", 1000);
    ASSERT_EQ(file.all_complaints(), "");
    ASSERT_EQ(file.communications.size(), 2U);
    const PrvCommunication& first = file.communications[0];
    EXPECT_EQ(first.from, host_a);
    EXPECT_EQ(first.to, switch_a);
    EXPECT_EQ(first.logical_send, 100U);
    EXPECT_EQ(first.physical_send, 100U);
    EXPECT_EQ(first.logical_receive, 110U);
    EXPECT_EQ(first.physical_receive, 410U);
    EXPECT_EQ(first.bytes, 3000U);
    EXPECT_EQ(first.tag, 5U);
    const PrvCommunication& second = file.communications[1];
    EXPECT_EQ(second.from, switch_b);
    EXPECT_EQ(second.to, host_b);
    EXPECT_EQ(second.logical_send, 210U);
    EXPECT_EQ(second.physical_send, 250U);
    EXPECT_EQ(second.logical_receive, 270U);
    EXPECT_EQ(second.physical_receive, 570U);
}

TEST(ParaverNetworkTrace, TheBacklogIsTheStateOfThePort) {
    const PrvFile file = tell("backlog.prv", 1000);
    std::vector<std::array<std::uint64_t, 3>> states; // begin, end, level
    for (const auto& each : file.states) {
        if (each.who == switch_a) states.push_back({each.begin, each.end, each.state});
    }
    const std::vector<std::array<std::uint64_t, 3>> expected{
        {0, 110, 0}, {110, 310, 2}, {310, 450, 3}, {450, 550, 1}, {550, 1000, 0}};
    EXPECT_EQ(states, expected);
    EXPECT_EQ(file.state_names.at(0), "empty");
    EXPECT_EQ(file.state_names.at(3), "up to 3000 B");

    // Coarser: what stays within a quantum is one state.
    const PrvFile coarse = tell("coarse.prv", 4096);
    ASSERT_EQ(coarse.all_complaints(), "");
    std::vector<std::array<std::uint64_t, 3>> few;
    for (const auto& each : coarse.states) {
        if (each.who == switch_a) few.push_back({each.begin, each.end, each.state});
    }
    EXPECT_EQ(few, (std::vector<std::array<std::uint64_t, 3>>{{0, 110, 0}, {110, 550, 1}, {550, 1000, 0}}));
    EXPECT_EQ(coarse.state_names.at(1), "up to 4096 B");
}

TEST(ParaverNetworkTrace, FlowControlBlockingAndSegmentsAreEvents) {
    const PrvFile file = tell("events.prv", 1000);
    const auto of = [&](std::uint64_t type, const Who& who) {
        std::vector<std::array<std::uint64_t, 2>> all; // time, value
        for (const PrvEvent& each : file.events) {
            if (each.type == type && each.who == who) all.push_back({each.time, each.value});
        }
        return all;
    };
    using List = std::vector<std::array<std::uint64_t, 2>>;
    EXPECT_EQ(of(ParaverNetworkTrace::flow_control, switch_a), (List{{310, 1}, {460, 0}}));
    EXPECT_EQ(of(ParaverNetworkTrace::head_of_line, switch_a), (List{{410, 1}, {450, 0}}));
    // The end of one segment comes before the begin of the next, at the same time.
    EXPECT_EQ(of(ParaverNetworkTrace::segment, host_a), (List{{100, 1}, {300, 0}, {300, 2}, {400, 0}}));
    EXPECT_EQ(of(ParaverNetworkTrace::segment, switch_b), (List{{250, 1}, {450, 0}, {450, 2}, {550, 0}}));
    EXPECT_EQ(of(ParaverNetworkTrace::message_number, switch_b),
              (List{{250, 6}, {450, 0}, {450, 6}, {550, 0}}));
}

TEST(ParaverNetworkTrace, SegmentsMayTakeSeveralWaysAndOvertake) {
    const std::string path = temporary_file("ways.prv");
    ParaverNetworkTrace trace(path, two_hosts(), 1000);
    trace.message({1, HostId{0}, HostId{1}, 500, true, Time::zero()});
    trace.traversal({LinkId{0}, 1, 1, 1, true, 250, Time::ns(5), Time::ns(20), Time::ns(30)});
    trace.traversal({LinkId{0}, 0, 1, 0, false, 250, Time::ns(0), Time::ns(10), Time::ns(40)});
    trace.message({2, HostId{1}, HostId{1}, 7, false, Time::zero()}); // within a host: no link
    trace.arrived(2, Time::ns(1));
    trace.arrived(1, Time::ns(60));
    trace.finish(Time::zero());
    const PrvFile file(path);
    ASSERT_EQ(file.all_complaints(), "");
    ASSERT_EQ(file.communications.size(), 1U);
    EXPECT_EQ(file.communications[0].logical_send, 0U);
    EXPECT_EQ(file.communications[0].physical_send, 10U);
    EXPECT_EQ(file.communications[0].physical_receive, 50U);
    EXPECT_EQ(file.end, 50U);
}

} // namespace
} // namespace orrery::network_trace_test
