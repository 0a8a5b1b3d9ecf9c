// Where a switch keeps what has to wait: head-of-line blocking, and how it is counted.
#include "network/packet/packet_runs.h"

#include <gtest/gtest.h>

namespace orrery::test::packet_queueing_test {

namespace {

// Host 0 occupies the channel to host 3 from 150 to 230; host 1's flit for host 3 waits for that, and its flit
// for host 2, there from 160 on, behind it.
const std::vector<Sent> blocking{{0, 3, 80, {}}, {1, 3, 10, {}}, {1, 2, 10, {}}};

PacketParameters with(Queueing queueing) {
    PacketParameters parameters = plain_parameters();
    parameters.segment = 80;
    parameters.queueing = queueing;
    return parameters;
}

struct Blocked : PacketObserver {
    void blocked(LinkId channel, Time now) override { log.emplace_back(channel.value, now); }
    void unblocked(LinkId channel, Time now) override { log.emplace_back(channel.value, now); }
    std::vector<std::pair<std::uint32_t, Time>> log;
};

TEST(PacketQueueing, TheHeadOfTheLineBlocksWithInputQueues) {
    Blocked seen;
    Wired wired(star_of(4), with(Queueing::input), &seen);
    EXPECT_EQ(arrivals(wired.network, blocking), (std::vector{Time::ns(280), Time::ns(290), Time::ns(300)}));
    EXPECT_EQ(wired.network.channel_use()[2].blocked, Time::ns(70));
    EXPECT_EQ(wired.network.channel_use()[0].blocked, Time::zero());
    const std::vector<std::pair<std::uint32_t, Time>> expected{{2, Time::ns(160)}, {2, Time::ns(230)}};
    EXPECT_EQ(seen.log, expected);
}

TEST(PacketQueueing, ItDoesNotWithOutputQueues) {
    Wired wired(star_of(4), with(Queueing::output));
    EXPECT_EQ(arrivals(wired.network, blocking), (std::vector{Time::ns(280), Time::ns(290), Time::ns(220)}));
    EXPECT_EQ(wired.network.channel_use()[2].blocked, Time::zero());
}

TEST(PacketQueueing, WormholeBlocksToo) {
    PacketParameters parameters = with(Queueing::input);
    parameters.switching = Switching::wormhole;
    Wired wired(star_of(4), parameters);
    EXPECT_EQ(arrivals(wired.network, blocking), (std::vector{Time::ns(280), Time::ns(290), Time::ns(300)}));
    EXPECT_EQ(wired.network.channel_use()[2].blocked, Time::ns(70));
}

// The crossbar is twice as fast, but no faster than a segment comes: the flit for host 3 crosses at 230, when
// the long segment has, and is on the wire behind it; the one for host 2 crosses 5 ns later.
TEST(PacketQueueing, ACrossbarMovesSegmentsToOutputBuffers) {
    EXPECT_EQ(run(star_of(4), blocking, with(Queueing::combined)),
              (std::vector{Time::ns(280), Time::ns(290), Time::ns(295)}));
}

// Two inputs for one output: with queues at outputs both leave their inputs in the time of the first.
TEST(PacketQueueing, OutputBuffersTakeFromOneInputAfterAnother) {
    const std::vector<Sent> two{{0, 2, 80, {}}, {1, 2, 80, {}}};
    EXPECT_EQ(run(star_of(3), two, with(Queueing::combined)), (std::vector{Time::ns(280), Time::ns(360)}));
    EXPECT_EQ(run(star_of(3), two, with(Queueing::output)), (std::vector{Time::ns(280), Time::ns(360)}));
}

// More than 64 pairs of port and lane at a switch.
TEST(PacketQueueing, WideSwitchesTakeTurnsToo) {
    std::vector<Sent> all;
    for (std::uint32_t i = 1; i < 150; ++i) all.push_back({i, 0, 40, {}});
    const std::vector<Time> times = run(star_of(150), all);
    for (std::uint32_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], Time::ns(240 + 40 * i));
}

} // namespace

} // namespace orrery::test::packet_queueing_test
