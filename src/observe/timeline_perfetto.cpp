#include "observe/timeline_perfetto.h"

#include "engine/output_file.h"
#include "observe/perfetto_trace.pb.h"
#include "workload/op.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery {

namespace {

using perfetto::TracePacket;
using perfetto::TrackEvent;

constexpr std::uint32_t sequence = 1;
constexpr std::uint32_t boottime_clock = 6; // the clock of a Perfetto trace, in nanoseconds
constexpr int packets_at_once = 512;        // serialised together, to bound memory

// Strings are sent once, at the head of the file, and named by their position (from 1) afterwards.
enum class Name : std::uint64_t { calc = 1, send, recv, post, control_send, control_recv, noise };
constexpr std::array<std::string_view, 7> names = {"calc",         "send",         "recv", "post recv",
                                                   "control send", "control recv", "noise"};
enum class Category : std::uint64_t { cpu = 1, nic };
constexpr std::array<std::string_view, 2> categories = {"cpu", "nic"};
enum class Key : std::uint64_t { op = 1, peer, tag, bytes, noise_ps };
constexpr std::array<std::string_view, 5> keys = {"op", "peer", "tag", "bytes", "noise_ps"};

std::uint64_t nanoseconds(Time time) { return static_cast<std::uint64_t>(time.ps() / 1000); }

Name name_of(const Activity& activity) {
    switch (activity.kind) {
    case ActivityKind::send: return activity.control ? Name::control_send : Name::send;
    case ActivityKind::recv: return activity.control ? Name::control_recv : Name::recv;
    case ActivityKind::post: return Name::post;
    case ActivityKind::calc: break;
    }
    return Name::calc;
}

void annotate(TrackEvent& event, Key key, std::uint64_t value) {
    perfetto::DebugAnnotation& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(static_cast<std::uint64_t>(key));
    annotation.set_uint_value(value);
}

void annotate_or_any(TrackEvent& event, Key key, std::uint32_t value, std::uint32_t any) {
    if (value != any) return annotate(event, key, value);
    perfetto::DebugAnnotation& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(static_cast<std::uint64_t>(key));
    annotation.set_string_value("any");
}

class Writer {
  public:
    Writer(const Recording& recording, const std::string& file) : recording_(recording), out_(file) {
        for (const Activity& activity : recording.activities) {
            cpus_ = std::max(cpus_, activity.cpu + 1);
            nics_ = std::max(nics_, activity.nic + 1);
        }
        described_.resize(recording.ranks * lanes());
    }

    void write() {
        head();
        for (std::uint32_t rank = 0; rank < recording_.ranks; ++rank) describe_rank(rank);
        for (std::uint32_t i = 0; i < recording_.activities.size(); ++i) {
            const Activity& activity = recording_.activities[i];
            on_cpu(activity, i);
            if (activity.kind == ActivityKind::send || activity.kind == ActivityKind::recv) on_nic(activity);
        }
        flush();
        out_.commit();
    }

  private:
    // The lanes of a rank in the order of their track numbers: CPUs, then per NIC sending and receiving.
    [[nodiscard]] std::uint64_t lanes() const { return std::uint64_t{cpus_} + 2 * std::uint64_t{nics_}; }
    [[nodiscard]] std::uint64_t rank_track(std::uint32_t rank) const { return 1 + rank * (lanes() + 1); }

    TracePacket& packet() {
        if (batch_.packet_size() >= packets_at_once) flush();
        TracePacket& packet = *batch_.add_packet();
        packet.set_trusted_packet_sequence_id(sequence);
        return packet;
    }

    void flush() {
        buffer_.clear();
        batch_.AppendToString(&buffer_);
        out_.write(buffer_);
        batch_.Clear();
    }

    void head() {
        TracePacket& first = packet();
        first.set_first_packet_on_sequence(true);
        first.set_sequence_flags(TracePacket::SEQ_INCREMENTAL_STATE_CLEARED);
        first.mutable_trace_packet_defaults()->set_timestamp_clock_id(boottime_clock);
        perfetto::InternedData& strings = *first.mutable_interned_data();
        const auto intern = [](auto& table, const auto& words) {
            for (std::size_t i = 0; i < words.size(); ++i) {
                auto& entry = *table.Add();
                entry.set_iid(i + 1);
                entry.set_name(std::string(words[i]));
            }
        };
        intern(*strings.mutable_event_names(), names);
        intern(*strings.mutable_event_categories(), categories);
        intern(*strings.mutable_debug_annotation_names(), keys);
        // Track 0 stands for the whole trace: ranks are shown in their order, not by how busy they were.
        perfetto::TrackDescriptor& root = *packet().mutable_track_descriptor();
        root.set_uuid(0);
        root.set_process_ordering(perfetto::TrackDescriptor::PROCESS_ORDERING_EXPLICIT);
    }

    void describe_rank(std::uint32_t rank) {
        perfetto::TrackDescriptor& track = *packet().mutable_track_descriptor();
        const std::string name = "rank " + std::to_string(rank);
        track.set_uuid(rank_track(rank));
        track.set_name(name);
        track.set_sibling_order_rank(static_cast<std::int32_t>(rank));
        track.mutable_process()->set_pid(static_cast<std::int32_t>(rank + 1)); // process 0 is the idle process
        track.mutable_process()->set_process_name(name);
    }

    // The track of a lane, described when first used: lanes that nothing runs on do not appear.
    std::uint64_t lane_track(std::uint32_t rank, std::uint64_t lane) {
        const std::uint64_t uuid = rank_track(rank) + 1 + lane;
        if (described_[rank * lanes() + lane]) return uuid;
        described_[rank * lanes() + lane] = true;
        perfetto::TrackDescriptor& track = *packet().mutable_track_descriptor();
        track.set_uuid(uuid);
        track.set_parent_uuid(rank_track(rank));
        if (lane < cpus_) {
            track.set_name("CPU " + std::to_string(lane));
        } else {
            const std::uint64_t port = lane - cpus_;
            track.set_name("NIC " + std::to_string(port / 2) + (port % 2 == 0 ? " send" : " receive"));
        }
        return uuid;
    }

    TrackEvent& event(TrackEvent::Type type, std::uint64_t track, Time time) {
        TracePacket& holder = packet();
        holder.set_timestamp(nanoseconds(time));
        holder.set_sequence_flags(TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
        TrackEvent& event = *holder.mutable_track_event();
        event.set_type(type);
        event.set_track_uuid(track);
        return event;
    }

    TrackEvent& named(TrackEvent::Type type, std::uint64_t track, Time time, Name name, Category category) {
        TrackEvent& begin = event(type, track, time);
        begin.set_name_iid(static_cast<std::uint64_t>(name));
        begin.add_category_iids(static_cast<std::uint64_t>(category));
        return begin;
    }

    // A slice ends right after it begins in the file. Perfetto sorts by time and keeps the order of the file
    // among equal times, so that slices on one lane, which follow each other in the log, stay apart.
    void on_cpu(const Activity& activity, std::uint32_t index) {
        const std::uint64_t track = lane_track(activity.rank, activity.cpu);
        const bool post = activity.kind == ActivityKind::post;
        TrackEvent& begin = named(post ? TrackEvent::TYPE_INSTANT : TrackEvent::TYPE_SLICE_BEGIN, track,
                                  activity.start, name_of(activity), Category::cpu);
        annotate(begin, Key::op, activity.op);
        if (activity.kind != ActivityKind::calc) {
            annotate_or_any(begin, Key::peer, activity.peer, any_source);
            annotate_or_any(begin, Key::tag, activity.tag, any_tag);
            annotate(begin, Key::bytes, activity.size);
        }
        if (activity.noise != Time::zero()) {
            annotate(begin, Key::noise_ps, static_cast<std::uint64_t>(activity.noise.ps()));
        }
        if (activity.partner != no_activity) {
            // A message is known by its send activity.
            if (activity.kind == ActivityKind::send) begin.add_flow_ids(std::uint64_t{index} + 1);
            if (activity.kind == ActivityKind::recv) {
                begin.add_terminating_flow_ids(std::uint64_t{activity.partner} + 1);
            }
        }
        if (post) return;
        if (activity.noise != Time::zero()) {
            named(TrackEvent::TYPE_SLICE_BEGIN, track, activity.end - activity.noise, Name::noise,
                  Category::cpu);
            event(TrackEvent::TYPE_SLICE_END, track, activity.end);
        }
        event(TrackEvent::TYPE_SLICE_END, track, activity.end);
    }

    void on_nic(const Activity& activity) {
        if (activity.port_end == activity.start) return; // g = G = 0: the NIC is never occupied
        const std::uint64_t way = activity.kind == ActivityKind::send ? 0 : 1;
        const std::uint64_t track = lane_track(activity.rank, cpus_ + 2 * std::uint64_t{activity.nic} + way);
        TrackEvent& begin =
            named(TrackEvent::TYPE_SLICE_BEGIN, track, activity.start, name_of(activity), Category::nic);
        annotate(begin, Key::peer, activity.peer);
        annotate(begin, Key::bytes, activity.size);
        event(TrackEvent::TYPE_SLICE_END, track, activity.port_end);
    }

    const Recording& recording_;
    OutputFile out_;
    std::uint32_t cpus_ = 1;
    std::uint32_t nics_ = 1;
    std::vector<bool> described_; // per rank and lane
    perfetto::Trace batch_;       // packets not written yet; its memory is reused
    std::string buffer_;
};

} // namespace

void write_timeline_perfetto(const Recording& recording, const std::string& file) {
    Writer(recording, file).write();
}

} // namespace orrery
