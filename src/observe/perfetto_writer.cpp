#include "observe/perfetto_writer.h"

namespace orrery {

using perfetto::TracePacket;
using perfetto::TrackEvent;

namespace {

constexpr std::uint32_t sequence = 1;
constexpr std::uint32_t boottime_clock = 6; // the clock of a Perfetto trace, in nanoseconds
constexpr int packets_at_once = 512;        // serialised together, to bound memory

std::uint64_t nanoseconds(Time time) { return static_cast<std::uint64_t>(time.whole_ns()); }

} // namespace

PerfettoWriter::PerfettoWriter(const std::string& file, const Strings& strings) : out_(file) {
    TracePacket& first = packet();
    first.set_first_packet_on_sequence(true);
    first.set_sequence_flags(TracePacket::SEQ_INCREMENTAL_STATE_CLEARED);
    first.mutable_trace_packet_defaults()->set_timestamp_clock_id(boottime_clock);
    perfetto::InternedData& interned = *first.mutable_interned_data();
    const auto intern = [](auto& table, std::span<const std::string_view> words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            auto& entry = *table.Add();
            entry.set_iid(i + 1);
            entry.set_name(std::string(words[i]));
        }
    };
    intern(*interned.mutable_event_names(), strings.names);
    intern(*interned.mutable_event_categories(), strings.categories);
    intern(*interned.mutable_debug_annotation_names(), strings.keys);
    // Track 0 stands for the whole trace: ranks are shown in their order, not by how busy they were.
    perfetto::TrackDescriptor& root = *packet().mutable_track_descriptor();
    root.set_uuid(0);
    root.set_process_ordering(perfetto::TrackDescriptor::PROCESS_ORDERING_EXPLICIT);
}

TracePacket& PerfettoWriter::packet() {
    if (batch_.packet_size() >= packets_at_once) flush();
    TracePacket& packet = *batch_.add_packet();
    packet.set_trusted_packet_sequence_id(sequence);
    return packet;
}

void PerfettoWriter::flush() {
    buffer_.clear();
    batch_.AppendToString(&buffer_);
    out_.write(buffer_);
    batch_.Clear();
}

void PerfettoWriter::commit() {
    flush();
    out_.commit();
}

void PerfettoWriter::describe_rank(std::uint32_t rank, std::uint64_t uuid) {
    perfetto::TrackDescriptor& track = *packet().mutable_track_descriptor();
    const std::string name = "rank " + std::to_string(rank);
    track.set_uuid(uuid);
    track.set_name(name);
    track.set_sibling_order_rank(static_cast<std::int32_t>(rank));
    track.mutable_process()->set_pid(static_cast<std::int32_t>(rank + 1)); // process 0 is the idle process
    track.mutable_process()->set_process_name(name);
}

void PerfettoWriter::describe_track(std::uint64_t uuid, std::uint64_t parent, const std::string& name) {
    perfetto::TrackDescriptor& track = *packet().mutable_track_descriptor();
    track.set_uuid(uuid);
    track.set_parent_uuid(parent);
    track.set_name(name);
}

TrackEvent& PerfettoWriter::event(TrackEvent::Type type, std::uint64_t track, Time time) {
    TracePacket& holder = packet();
    holder.set_timestamp(nanoseconds(time));
    holder.set_sequence_flags(TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
    TrackEvent& event = *holder.mutable_track_event();
    event.set_type(type);
    event.set_track_uuid(track);
    return event;
}

TrackEvent& PerfettoWriter::event(TrackEvent::Type type, std::uint64_t track, Time time, std::uint64_t name,
                                  std::uint64_t category) {
    TrackEvent& named = event(type, track, time);
    named.set_name_iid(name);
    named.add_category_iids(category);
    return named;
}

void PerfettoWriter::end_slice(std::uint64_t track, Time time) {
    event(TrackEvent::TYPE_SLICE_END, track, time);
}

void PerfettoWriter::annotate(TrackEvent& event, std::uint64_t key, std::uint64_t value) {
    perfetto::DebugAnnotation& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(key);
    annotation.set_uint_value(value);
}

void PerfettoWriter::annotate(TrackEvent& event, std::uint64_t key, std::string_view value) {
    perfetto::DebugAnnotation& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(key);
    annotation.set_string_value(std::string(value));
}

} // namespace orrery
