#include "observe/timeline_perfetto.h"

#include "engine/error.h"
#include "observe/perfetto_trace.pb.h"
#include "observe/recorded_run.h"
#include "workload/op.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orrery {
namespace {

using namespace observe_test;
using perfetto::TracePacket;
using perfetto::TrackEvent;

struct Slice {
    std::string track; // "rank 3/CPU 0"
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t depth = 0;
    std::map<std::string, std::string> arguments;
    std::vector<std::uint64_t> flows_out;
    std::vector<std::uint64_t> flows_in;
};

// What a reader of the trace sees: packets sorted by time, stable, and slices matched track by track.
struct Seen {
    std::vector<Slice> slices;
    std::vector<Slice> instants;
    std::map<std::string, int> ranks; // name, order
    std::set<std::string> tracks;
    std::size_t packets = 0;
};

std::string temporary(const std::string& name) {
    return (std::filesystem::path(testing::TempDir()) / name).string();
}

void see(const Recording& recording, Seen& seen) {
    const std::string file = temporary("timeline_perfetto_test.pftrace");
    write_timeline_perfetto(recording, file);
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove(file);
    perfetto::Trace trace;
    ASSERT_TRUE(trace.ParseFromString(bytes));
    ASSERT_GT(trace.packet_size(), 1);
    seen.packets = static_cast<std::size_t>(trace.packet_size());

    const TracePacket& first = trace.packet(0);
    EXPECT_EQ(first.sequence_flags(), unsigned{TracePacket::SEQ_INCREMENTAL_STATE_CLEARED});
    EXPECT_EQ(first.trace_packet_defaults().timestamp_clock_id(), 6U);
    std::map<std::uint64_t, std::string> names;
    std::map<std::uint64_t, std::string> keys;
    for (const auto& entry : first.interned_data().event_names()) names[entry.iid()] = entry.name();
    for (const auto& entry : first.interned_data().debug_annotation_names()) keys[entry.iid()] = entry.name();

    std::map<std::uint64_t, std::string> tracks;
    std::vector<const TracePacket*> events;
    for (const TracePacket& packet : trace.packet()) {
        EXPECT_EQ(packet.trusted_packet_sequence_id(), 1U);
        if (packet.has_track_descriptor()) {
            const auto& track = packet.track_descriptor();
            if (track.uuid() == 0) continue;
            ASSERT_EQ(tracks.count(track.uuid()), 0U) << "described twice";
            if (track.has_process()) {
                tracks[track.uuid()] = track.process().process_name();
                seen.ranks[track.process().process_name()] = track.sibling_order_rank();
            } else {
                ASSERT_EQ(tracks.count(track.parent_uuid()), 1U);
                tracks[track.uuid()] = tracks[track.parent_uuid()] + "/" + track.name();
                seen.tracks.insert(tracks[track.uuid()]);
            }
        } else if (packet.has_track_event()) {
            EXPECT_EQ(packet.sequence_flags(), unsigned{TracePacket::SEQ_NEEDS_INCREMENTAL_STATE});
            ASSERT_EQ(tracks.count(packet.track_event().track_uuid()), 1U) << "used before it was described";
            events.push_back(&packet);
        }
    }
    std::stable_sort(events.begin(), events.end(), [](const TracePacket* a, const TracePacket* b) {
        return a->timestamp() < b->timestamp();
    });
    std::map<std::uint64_t, std::vector<Slice>> open;
    for (const TracePacket* packet : events) {
        const TrackEvent& event = packet->track_event();
        std::vector<Slice>& stack = open[event.track_uuid()];
        if (event.type() == TrackEvent::TYPE_SLICE_END) {
            ASSERT_FALSE(stack.empty()) << "a slice ends that did not begin";
            stack.back().end = packet->timestamp();
            seen.slices.push_back(stack.back());
            stack.pop_back();
            continue;
        }
        Slice slice;
        slice.track = tracks[event.track_uuid()];
        ASSERT_EQ(names.count(event.name_iid()), 1U);
        slice.name = names[event.name_iid()];
        slice.begin = slice.end = packet->timestamp();
        slice.depth = stack.size();
        slice.flows_out.assign(event.flow_ids().begin(), event.flow_ids().end());
        slice.flows_in.assign(event.terminating_flow_ids().begin(), event.terminating_flow_ids().end());
        for (const auto& argument : event.debug_annotations()) {
            ASSERT_EQ(keys.count(argument.name_iid()), 1U);
            slice.arguments[keys[argument.name_iid()]] =
                argument.has_uint_value() ? std::to_string(argument.uint_value()) : argument.string_value();
        }
        (event.type() == TrackEvent::TYPE_INSTANT ? seen.instants : stack).push_back(slice);
    }
    for (const auto& [track, stack] : open)
        EXPECT_TRUE(stack.empty()) << tracks[track] << ": slice without end";
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
    EXPECT_THROW(write_timeline_perfetto(Recording{}, temporary("no/such/folder/x.pftrace")), InputError);
}

} // namespace
} // namespace orrery
