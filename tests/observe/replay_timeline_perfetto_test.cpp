#include "observe/perfetto_reader.h"
#include "observe/replay_timeline.h"
#include "observe/told_replay.h"

#include <gtest/gtest.h>

namespace orrery::replay_timeline_perfetto_test {
namespace {

using namespace observe_test;

void see(const ToldReplay& told, Seen& seen) {
    const std::string file = temporary_file("replay_timeline_perfetto_test.pftrace");
    const std::unique_ptr<ReplayTimeline> timeline = make_replay_timeline(file, told.ranks);
    told.tell(*timeline);
    timeline->finish(told.end);
    read_perfetto(file, seen);
}

TEST(ReplayTimelinePerfetto, ShowsEachCallAsASlice) {
    const ToldReplay told = told_ring(5, 3);
    Seen seen;
    see(told, seen);
    ASSERT_EQ(seen.slices.size(), told.calls.size());
    EXPECT_EQ(seen.ranks.size(), 5U);
    EXPECT_EQ(seen.ranks["rank 4"], 4);
    std::map<std::string, std::map<std::string, std::uint64_t>> sum; // ns by track and call
    for (const Slice& slice : seen.slices) {
        EXPECT_EQ(slice.depth, 0U);
        sum[slice.track][slice.name] += slice.end - slice.begin;
    }
    // Rank 4 computes 5 us a round, sends 1, receives 0.5, then waits in the barrier for its own round's end.
    EXPECT_EQ(sum["rank 4/calls"]["compute"], 15'000U);
    EXPECT_EQ(sum["rank 4/calls"]["isend"], 3'000U);
    EXPECT_EQ(sum["rank 4/calls"]["recv"], 1'500U);
    EXPECT_EQ(sum["rank 4/calls"]["barrier"], 6'000U);
}

TEST(ReplayTimelinePerfetto, LeadsAnArrowFromEachSendingToItsArrival) {
    const ToldReplay told = told_ring(5, 3);
    Seen seen;
    see(told, seen);
    ASSERT_EQ(seen.instants.size(), 2 * told.messages.size());
    std::map<std::uint64_t, const Slice*> sent;
    std::map<std::uint64_t, const Slice*> arrived;
    for (const Slice& mark : seen.instants) {
        for (const std::uint64_t flow : mark.flows_out) EXPECT_TRUE(sent.emplace(flow, &mark).second);
        for (const std::uint64_t flow : mark.flows_in) EXPECT_TRUE(arrived.emplace(flow, &mark).second);
    }
    ASSERT_EQ(sent.size(), told.messages.size());
    for (const auto& [flow, from] : sent) {
        ASSERT_EQ(arrived.count(flow), 1U);
        const Slice& to = *arrived[flow];
        EXPECT_EQ(from->name, "message sent");
        EXPECT_EQ(to.name, "message arrived");
        EXPECT_EQ(to.track, "rank " + from->arguments.at("peer") + "/messages");
        EXPECT_EQ(from->track, "rank " + to.arguments.at("peer") + "/messages");
        EXPECT_EQ(to.begin, from->begin + 2'000);
        EXPECT_EQ(from->arguments.at("bytes"), to.arguments.at("bytes"));
    }
}

TEST(ReplayTimelinePerfetto, SaysWhatEachActionWasAbout) {
    ToldReplay told;
    told.ranks = 2;
    told.call(0, ActionKind::send, Time::zero(), Time::us(1));
    told.calls.back().action.peer = 1;
    told.calls.back().action.tag = 7;
    told.calls.back().action.bytes = 4096;
    told.calls.back().action.line = 12;
    told.call(0, ActionKind::recv, Time::us(1), Time::us(2));
    told.calls.back().action.peer = any_source;
    told.calls.back().action.tag = any_tag;
    told.collective(1, Collective::allreduce, Time::zero(), Time::us(2));
    told.calls.back().action.comm = 3;
    told.calls.back().action.nonblocking = true;
    Seen seen;
    see(told, seen);
    ASSERT_EQ(seen.slices.size(), 3U);
    for (const Slice& slice : seen.slices) {
        if (slice.name == "send") {
            EXPECT_EQ(slice.arguments, (std::map<std::string, std::string>{
                                           {"peer", "1"}, {"tag", "7"}, {"bytes", "4096"}, {"line", "12"}}));
        } else if (slice.name == "recv") {
            EXPECT_EQ(slice.arguments.count("peer"), 0U); // from anyone
            EXPECT_EQ(slice.arguments.count("tag"), 0U);
        } else {
            EXPECT_EQ(slice.name, "iallreduce");
            EXPECT_EQ(slice.arguments.at("comm"), "3");
        }
    }
}

TEST(ReplayTimelinePerfetto, KeepsOrderWithinANanosecond) {
    ToldReplay told;
    told.ranks = 1;
    for (std::int64_t i = 0; i < 100; ++i)
        told.call(0, i % 2 == 0 ? ActionKind::send : ActionKind::compute, Time::ps(130 * i),
                  Time::ps(130 * i + 130));
    Seen seen;
    see(told, seen);
    ASSERT_EQ(seen.slices.size(), 100U);
    for (const Slice& slice : seen.slices) EXPECT_EQ(slice.depth, 0U);
}

} // namespace
} // namespace orrery::replay_timeline_perfetto_test
