#include "observe/timeline_perfetto.h"

#include "observe/perfetto_writer.h"
#include "workload/op.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery {

namespace {

using perfetto::TrackEvent;

enum class Name : std::uint64_t { calc = 1, send, recv, post, control_send, control_recv, noise };
constexpr std::array<std::string_view, 7> activity_names = {"calc",         "send",         "recv", "post recv",
                                                            "control send", "control recv", "noise"};
enum class Category : std::uint64_t { cpu = 1, nic };
constexpr std::array<std::string_view, 2> categories = {"cpu", "nic"};
enum class Key : std::uint64_t { op = 1, peer, tag, bytes, noise_ps };
constexpr std::array<std::string_view, 5> keys = {"op", "peer", "tag", "bytes", "noise_ps"};

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
    PerfettoWriter::annotate(event, static_cast<std::uint64_t>(key), value);
}

void annotate_or_any(TrackEvent& event, Key key, std::uint32_t value, std::uint32_t any) {
    if (value != any) return annotate(event, key, value);
    PerfettoWriter::annotate(event, static_cast<std::uint64_t>(key), std::string_view("any"));
}

class Timeline {
  public:
    Timeline(const Recording& recording, const std::string& file)
        : recording_(recording), out_(file, {activity_names, categories, keys}) {
        for (const Activity& activity : recording.activities) {
            cpus_ = std::max(cpus_, activity.cpu + 1);
            nics_ = std::max(nics_, activity.nic + 1);
        }
        described_.resize(recording.ranks * lanes());
    }

    void write() {
        for (std::uint32_t rank = 0; rank < recording_.ranks; ++rank)
            out_.describe_rank(rank, rank_track(rank));
        for (std::uint32_t i = 0; i < recording_.activities.size(); ++i) {
            const Activity& activity = recording_.activities[i];
            on_cpu(activity, i);
            if (activity.kind == ActivityKind::send || activity.kind == ActivityKind::recv) on_nic(activity);
        }
        out_.commit();
    }

  private:
    // The lanes of a rank in the order of their track numbers: CPUs, then per NIC sending and receiving.
    [[nodiscard]] std::uint64_t lanes() const { return std::uint64_t{cpus_} + 2 * std::uint64_t{nics_}; }
    [[nodiscard]] std::uint64_t rank_track(std::uint32_t rank) const { return 1 + rank * (lanes() + 1); }

    // The track of a lane, described when first used: lanes that nothing runs on do not appear.
    std::uint64_t lane_track(std::uint32_t rank, std::uint64_t lane) {
        const std::uint64_t uuid = rank_track(rank) + 1 + lane;
        if (described_[rank * lanes() + lane]) return uuid;
        described_[rank * lanes() + lane] = true;
        if (lane < cpus_) {
            out_.describe_track(uuid, rank_track(rank), "CPU " + std::to_string(lane));
        } else {
            const std::uint64_t port = lane - cpus_;
            out_.describe_track(uuid, rank_track(rank),
                                "NIC " + std::to_string(port / 2) + (port % 2 == 0 ? " send" : " receive"));
        }
        return uuid;
    }

    TrackEvent& named(TrackEvent::Type type, std::uint64_t track, Time time, Name name, Category category) {
        return out_.event(type, track, time, static_cast<std::uint64_t>(name),
                          static_cast<std::uint64_t>(category));
    }

    // A slice ends right after it begins in the file, so that slices on one lane, which follow each other in
    // the log, stay apart even within a nanosecond.
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
            out_.end_slice(track, activity.end);
        }
        out_.end_slice(track, activity.end);
    }

    void on_nic(const Activity& activity) {
        if (activity.port_end == activity.start) return; // g = G = 0: the NIC is never occupied
        const std::uint64_t way = activity.kind == ActivityKind::send ? 0 : 1;
        const std::uint64_t track = lane_track(activity.rank, cpus_ + 2 * std::uint64_t{activity.nic} + way);
        TrackEvent& begin =
            named(TrackEvent::TYPE_SLICE_BEGIN, track, activity.start, name_of(activity), Category::nic);
        annotate(begin, Key::peer, activity.peer);
        annotate(begin, Key::bytes, activity.size);
        out_.end_slice(track, activity.port_end);
    }

    const Recording& recording_;
    PerfettoWriter out_;
    std::uint32_t cpus_ = 1;
    std::uint32_t nics_ = 1;
    std::vector<bool> described_; // per rank and lane
};

} // namespace

void write_timeline_perfetto(const Recording& recording, const std::string& file) {
    Timeline(recording, file).write();
}

} // namespace orrery
