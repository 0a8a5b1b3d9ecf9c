// A Perfetto trace as a reader of it sees it: for the tests of what writes one.
#pragma once

#include "observe/perfetto_trace.pb.h"
#include "observe/temporary_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orrery::observe_test {

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

// Reads and removes the file; fails the test if the trace is not sound.
inline void read_perfetto(const std::string& file, Seen& seen) {
    using perfetto::TracePacket;
    using perfetto::TrackEvent;
    const std::string bytes = contents(file);
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

} // namespace orrery::observe_test
