#include "observe/timeline_perfetto.h"

#include "engine/error.h"
#include "observe/perfetto_reader.h"
#include "observe/recorded_run.h"
#include "observe/temporary_file.h"
#include "workload/op.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orrery::timeline_perfetto_test {
namespace {

using namespace observe_test;

void see(const Recording& recording, Seen& seen) {
    const std::string file = temporary_file("timeline_perfetto_test.pftrace");
    write_timeline_perfetto(recording, file);
    read_perfetto(file, seen);
}

TEST(TimelinePerfetto, HoldsFigure4) {
    const LogGOPS parameters = figure_parameters();
    Seen seen;
    see(linear_scatter(8, 1024, parameters), seen);
    ASSERT_EQ(seen.ranks.size(), 8U);
    EXPECT_EQ(seen.ranks["rank 3"], 3);
    EXPECT_EQ(seen.slices.size(), 2U * 7U * 2U); // a CPU and a NIC slice for each end of each message
    const std::set<std::string> some = {"rank 0/CPU 0", "rank 0/NIC 0 send", "rank 7/NIC 0 receive"};
    for (const std::string& track : some) EXPECT_EQ(seen.tracks.count(track), 1U) << track;
    EXPECT_EQ(seen.tracks.count("rank 7/NIC 0 send"), 0U); // never used
    const auto receive = std::find_if(seen.slices.begin(), seen.slices.end(),
                                      [](const Slice& slice) { return slice.track == "rank 7/CPU 0"; });
    ASSERT_NE(receive, seen.slices.end());
    EXPECT_EQ(receive->name, "recv");
    EXPECT_EQ(receive->begin, 64'828U);
    EXPECT_EQ(receive->end, 74'512U);
    EXPECT_EQ(receive->arguments["peer"], "0");
    EXPECT_EQ(receive->arguments["bytes"], "1024");
    EXPECT_EQ(receive->arguments["tag"], "0");
}

TEST(TimelinePerfetto, LeadsAFlowFromEachSendToItsReceive) {
    const LogGOPS parameters = figure_parameters();
    const Recording recording = dissemination(8, 64, parameters);
    Seen seen;
    see(recording, seen);
    std::map<std::uint64_t, const Slice*> sends;
    std::map<std::uint64_t, const Slice*> receives;
    for (const Slice& slice : seen.slices) {
        for (const std::uint64_t flow : slice.flows_out) EXPECT_TRUE(sends.emplace(flow, &slice).second);
        for (const std::uint64_t flow : slice.flows_in) EXPECT_TRUE(receives.emplace(flow, &slice).second);
    }
    ASSERT_EQ(sends.size(), 24U);
    ASSERT_EQ(receives.size(), 24U);
    for (const auto& [flow, send] : sends) {
        ASSERT_EQ(receives.count(flow), 1U);
        EXPECT_EQ(receives[flow]->track, "rank " + send->arguments.at("peer") + "/CPU 0");
        EXPECT_EQ(send->track, "rank " + receives[flow]->arguments.at("peer") + "/CPU 0");
        EXPECT_GT(receives[flow]->begin, send->begin);
    }
}

TEST(TimelinePerfetto, NestsNoiseAndNothingElse) {
    const LogGOPS parameters = figure_parameters();
    RecordedRun run(2, parameters);
    run.calc(0, Time::us(10), {.cpu = 3, .nic = 0, .noise = Time::ps(2'000'700), .after = no_activity});
    run.recv(run.send(0, 1, 8, {.cpu = 0, .nic = 2, .noise = Time::zero(), .after = no_activity}));
    Seen seen;
    see(run.take(), seen);
    for (const Slice& slice : seen.slices)
        EXPECT_EQ(slice.depth, slice.name == "noise" ? 1U : 0U) << slice.name;
    const auto noise = std::find_if(seen.slices.begin(), seen.slices.end(),
                                    [](const Slice& slice) { return slice.name == "noise"; });
    ASSERT_NE(noise, seen.slices.end());
    EXPECT_EQ(noise->track, "rank 0/CPU 3");
    EXPECT_EQ(noise->begin, 10'000U);
    EXPECT_EQ(noise->end, 12'000U); // 12000.7 ns, rounded down
    EXPECT_EQ(seen.tracks.count("rank 0/NIC 2 send"), 1U);
}

// Costs of a few picoseconds put many events into one nanosecond: they must still pair and not nest.
TEST(TimelinePerfetto, KeepsOrderWithinANanosecond) {
    LogGOPS parameters;
    parameters.L = Time::ps(90);
    parameters.o = Time::ps(130);
    parameters.g = Time::ps(70);
    parameters.G = 0.4;
    parameters.O = 0.3;
    RecordedRun run(3, parameters);
    for (std::uint32_t i = 0; i < 200; ++i) {
        run.calc(i % 3, Time::ps(i % 7)); // some of no length
        run.recv(run.send(i % 3, (i + 1) % 3, i % 50));
    }
    Seen seen;
    see(run.take(), seen);
    EXPECT_EQ(seen.slices.size(), 200U + 4U * 200U);
    for (const Slice& slice : seen.slices) {
        EXPECT_EQ(slice.depth, 0U);
        EXPECT_LE(slice.begin, slice.end);
    }
}

TEST(TimelinePerfetto, ShowsPostsAsInstantsAndWildcardsAsAny) {
    Recording recording = linear_scatter(2, 1, figure_parameters());
    Activity post;
    post.kind = ActivityKind::post;
    post.rank = 1;
    post.peer = any_source;
    post.tag = any_tag;
    recording.activities.push_back(post);
    Seen seen;
    see(recording, seen);
    ASSERT_EQ(seen.instants.size(), 1U);
    EXPECT_EQ(seen.instants[0].name, "post recv");
    EXPECT_EQ(seen.instants[0].arguments["peer"], "any");
    EXPECT_EQ(seen.instants[0].arguments["tag"], "any");
}

TEST(TimelinePerfetto, WritesMoreThanOneBatchOfPackets) {
    LogGOPS parameters = figure_parameters();
    parameters.g = Time::zero();
    parameters.G = 0; // NICs are never occupied: no slices, no tracks for them
    RecordedRun run(1000, parameters);
    for (std::uint32_t rank = 0; rank < 1000; ++rank) run.recv(run.send(rank, (rank + 1) % 1000, 8));
    Seen seen;
    see(run.take(), seen);
    EXPECT_EQ(seen.slices.size(), 2000U);
    EXPECT_EQ(seen.tracks.size(), 1000U);
    EXPECT_EQ(seen.packets, 2U + 1000U + 1000U + 4000U);
}

TEST(TimelinePerfetto, OfNothingIsAValidTrace) {
    Seen seen;
    see(Recording{}, seen);
    EXPECT_TRUE(seen.slices.empty());
}

TEST(TimelinePerfetto, FailsWhereItCannotWrite) {
    EXPECT_THROW(write_timeline_perfetto(Recording{}, temporary_file("no/such/folder/x.pftrace")), InputError);
}

} // namespace
} // namespace orrery::timeline_perfetto_test
