// A replay as a Perfetto trace: each rank is a process with a track of its calls, or one for each of its CPUs,
// and one of its messages.
//
// A message is a pair of instants, sent and arrived, joined by an arrow (flow). The arrow does not join the
// calls themselves: Perfetto takes a flow to enter a slice where it begins, and a receive often begins long
// before its message is sent.
#include "observe/perfetto_writer.h"
#include "observe/replay_timeline_formats.h"
#include "results/calls.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

using perfetto::TrackEvent;

constexpr std::uint64_t sent_name = call_numbers + 1; // names count from 1, calls from 0
constexpr std::uint64_t arrived_name = call_numbers + 2;
enum class ReplayKey : std::uint64_t { peer = 1, root, tag, bytes, comm, request, volume, line };
constexpr std::array<std::string_view, 8> replay_keys = {"peer", "root",    "tag",    "bytes",
                                                         "comm", "request", "volume", "line"};
constexpr std::uint64_t message_category = call_kinds + 1;

PerfettoWriter make_writer(const std::string& path) {
    std::vector<std::string_view> names;
    for (std::size_t call = 0; call < call_numbers; ++call) names.emplace_back(call_name(call));
    names.insert(names.end(), {"message sent", "message arrived"});
    std::vector<std::string_view> categories(call_kind_names.begin(), call_kind_names.end());
    categories.emplace_back("message");
    return {path, {names, categories, replay_keys}};
}

void annotate(TrackEvent& event, ReplayKey key, std::uint64_t value) {
    PerfettoWriter::annotate(event, static_cast<std::uint64_t>(key), value);
}

// What the action has to say, by its kind; nothing that it does not use.
void annotate(TrackEvent& event, const Action& action) {
    switch (action.kind) {
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::recv:
    case ActionKind::irecv:
    case ActionKind::sendrecv:
    case ActionKind::probe:
        if (action.peer != any_source) annotate(event, ReplayKey::peer, action.peer);
        if (action.tag != any_tag) annotate(event, ReplayKey::tag, action.tag);
        annotate(event, ReplayKey::bytes, action.bytes);
        break;
    case ActionKind::collective:
        if (action.peer != any_source) annotate(event, ReplayKey::root, action.peer);
        annotate(event, ReplayKey::bytes, action.bytes);
        break;
    case ActionKind::compute:
        annotate(event, ReplayKey::volume, static_cast<std::uint64_t>(action.volume));
        break;
    case ActionKind::one_sided:
        annotate(event, ReplayKey::peer, action.peer);
        annotate(event, ReplayKey::bytes, action.bytes + action.more_bytes);
        break;
    case ActionKind::wait:
    case ActionKind::test:
    case ActionKind::cancel: annotate(event, ReplayKey::request, action.request); break;
    default: break;
    }
    if (action.comm != world) annotate(event, ReplayKey::comm, action.comm);
    if (action.line != 0) annotate(event, ReplayKey::line, action.line);
}

class PerfettoTimeline final : public ReplayTimeline {
  public:
    PerfettoTimeline(const std::string& path, std::uint32_t ranks, std::uint32_t cpus)
        : out_(make_writer(path)), cpus_(cpus) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            out_.describe_rank(rank, rank_track(rank));
            for (std::uint32_t cpu = 0; cpu < cpus; ++cpu)
                out_.describe_track(calls_track({rank, cpu}), rank_track(rank),
                                    cpus == 1 ? "calls" : fmt::format("CPU {}", cpu));
            out_.describe_track(messages_track(rank), rank_track(rank), "messages");
        }
    }

    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        const std::size_t call = call_number(action);
        annotate(out_.event(TrackEvent::TYPE_SLICE_BEGIN, calls_track(who), begin, call + 1,
                            static_cast<std::uint64_t>(call_kind(call)) + 1),
                 action);
        out_.end_slice(calls_track(who), end);
    }

    void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                   Time arrived) override {
        const std::uint64_t number = ++messages_;
        TrackEvent& leave = instant(from, sent, sent_name, to, tag, bytes);
        leave.add_flow_ids(number);
        TrackEvent& enter = instant(to, arrived, arrived_name, from, tag, bytes);
        enter.add_terminating_flow_ids(number);
    }

    void finish(Time /*end*/) override { out_.commit(); }

  private:
    // Tracks of a rank: itself, its CPUs, its messages.
    [[nodiscard]] std::uint64_t rank_track(std::uint32_t rank) const {
        return 1 + (2 + std::uint64_t{cpus_}) * rank;
    }
    [[nodiscard]] std::uint64_t calls_track(CpuOfRank who) const { return rank_track(who.rank) + 1 + who.cpu; }
    [[nodiscard]] std::uint64_t messages_track(std::uint32_t rank) const {
        return rank_track(rank) + 1 + cpus_;
    }

    TrackEvent& instant(std::uint32_t rank, Time time, std::uint64_t name, std::uint32_t peer,
                        std::uint32_t tag, Bytes bytes) {
        TrackEvent& event =
            out_.event(TrackEvent::TYPE_INSTANT, messages_track(rank), time, name, message_category);
        annotate(event, ReplayKey::peer, peer);
        annotate(event, ReplayKey::tag, tag);
        annotate(event, ReplayKey::bytes, bytes);
        return event;
    }

    PerfettoWriter out_;
    std::uint32_t cpus_; // of each rank
    std::uint64_t messages_ = 0;
};

} // namespace

std::unique_ptr<ReplayTimeline> make_perfetto_timeline(const std::string& path, std::uint32_t ranks,
                                                       std::uint32_t cpus) {
    return std::make_unique<PerfettoTimeline>(path, ranks, cpus);
}

} // namespace orrery
