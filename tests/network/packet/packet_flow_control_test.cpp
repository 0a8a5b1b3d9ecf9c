// Back-pressure by credits and by stop and go: rates and times worked out by hand, and marks that are refused.
#include "engine/error.h"
#include "network/packet/packet_runs.h"

#include <gtest/gtest.h>

namespace orrery::test::packet_flow_control_test {

namespace {

// A segment of 40 ns is on the second channel from 150 to 190 after it started; its place is known at 240.
TEST(PacketFlowControl, CreditsComeBackAfterTheRoundTrip) {
    PacketParameters parameters = plain_parameters();
    parameters.buffer = 40;
    EXPECT_EQ(run(star_of(2), {{0, 1, 200, {}}}, parameters), std::vector{Time::ns(4 * 240 + 240)});
    parameters.buffer = 89; // two segments: whole flits count
    EXPECT_EQ(run(star_of(2), {{0, 1, 200, {}}}, parameters), std::vector{Time::ns(2 * 240 + 240)});
    parameters.buffer = 240; // the round trip: full rate
    EXPECT_EQ(run(star_of(2), {{0, 1, 2000, {}}}, parameters), std::vector{Time::ns(2000 + 200)});
    parameters.buffer = 200;
    EXPECT_GT(run(star_of(2), {{0, 1, 2000, {}}}, parameters)[0], Time::ns(2000 + 200));
}

// A flit leaves the buffer 10 ns after it is sent on, 150 after it was sent: its place is known at 210.
TEST(PacketFlowControl, WormholeNeedsRoomForAFlitOnly) {
    PacketParameters parameters = plain_parameters();
    parameters.switching = Switching::wormhole;
    parameters.buffer = 10;
    EXPECT_EQ(run(star_of(2), {{0, 1, 40, {}}}, parameters), std::vector{Time::ns(3 * 210 + 210)});
    parameters.buffer = 210;
    EXPECT_EQ(run(star_of(2), {{0, 1, 4000, {}}}, parameters), std::vector{Time::ns(4000 + 200)});
}

struct Signals : PacketObserver {
    void stop(LinkId /*channel*/, Time now) override { stops.push_back(now); }
    void go(LinkId /*channel*/, Time now) override { goes.push_back(now); }
    void backlog(LinkId /*channel*/, Time /*now*/, Bytes bytes) override { most = std::max(most, bytes); }
    std::vector<Time> stops;
    std::vector<Time> goes;
    Bytes most = 0;
};

// One flit each 10 ns to a channel that takes 40: the ninth arrives at 130, and 18 have been sent when the stop
// is heard at 180. The 14th has left at 710, the go is heard at 760.
TEST(PacketFlowControl, StopAndGoAtTheMarks) {
    PacketParameters parameters = plain_parameters();
    parameters.flow_control = FlowControl::stop_go;
    parameters.segment = 10;
    parameters.buffer = 200; // 20 flits, of which a round trip and a segment take 11
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
        parameters.switching = switching;
        Signals signals;
        Wired wired(row_of({1e9, 0.25e9}), parameters, &signals);
        EXPECT_EQ(arrivals(wired.network, {{0, 1, 200, {}}}), std::vector{Time::ns(1040)});
        EXPECT_EQ(signals.stops, std::vector{Time::ns(130)});
        EXPECT_EQ(signals.goes, std::vector{Time::ns(710)});
        if (switching == Switching::cut_through) {
            EXPECT_EQ(signals.most, 170U);
        }
    }
}

TEST(PacketFlowControl, RefusesMarksThatCannotHold) {
    PacketParameters parameters = plain_parameters();
    parameters.flow_control = FlowControl::stop_go;
    parameters.buffer = 140; // a round trip and a segment, and nothing below
    EXPECT_THROW(Wired(star_of(2), parameters), InputError);
    parameters.buffer = 150;
    EXPECT_NO_THROW(Wired(star_of(2), parameters));
    parameters.buffer = 400;
    parameters.stop_mark = 270;
    EXPECT_THROW(Wired(star_of(2), parameters), InputError);
    parameters.stop_mark = 260;
    EXPECT_NO_THROW(Wired(star_of(2), parameters));
    parameters.go_mark = 260;
    EXPECT_THROW(Wired(star_of(2), parameters), InputError);
}

} // namespace

} // namespace orrery::test::packet_flow_control_test
