// A replay as a Pajé trace (Schnorr, "Paje trace file format", 2014), for pajeng, ViTE, Pajé.
//
// A container per rank inside one for the run, with one per CPU inside it if there are several; a state per
// rank or CPU, named by its call; a link per message, with its bytes and tag. The format wants all events in
// order of time, and we are told of a call at its end: see TimelineSorter. A call is one event (PajeSetState):
// the next call, or the end of the rank, ends it.
#include "engine/output_file.h"
#include "observe/exact_seconds.h"
#include "observe/replay_timeline_formats.h"
#include "observe/timeline_sorter.h"
#include "results/calls.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace orrery {

namespace {

constexpr std::uint16_t idle = call_numbers; // between calls, and before and after them

// Fields in the order in which the events below are written.
constexpr std::string_view definitions = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajeSetState 6
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajeStartLink 7
%  Time date
%  Type string
%  Container string
%  Value string
%  StartContainer string
%  Key string
%  Bytes int
%  Tag int
%EndEventDef
%EventDef PajeEndLink 8
%  Time date
%  Type string
%  Container string
%  Value string
%  EndContainer string
%  Key string
%EndEventDef
0 RUN 0 "run"
0 RANK RUN "rank"
)";

// "#c9e4d6" as three numbers between 0 and 1.
std::string paje_colour(std::string_view hex) {
    std::string out;
    for (std::size_t at = 1; at + 1 < hex.size(); at += 2) {
        unsigned value = 0;
        std::from_chars(hex.data() + at, hex.data() + at + 2, value, 16);
        out += fmt::format("{}{:.3f}", out.empty() ? "" : " ", value / 255.0);
    }
    return out;
}

class PajeTimeline final : public ReplayTimeline {
  public:
    PajeTimeline(const std::string& path, std::uint32_t ranks, std::uint32_t cpus)
        : out_(path), sorter_(path), cpus_(cpus), ended_(std::size_t{ranks} * cpus) {
        out_.write(definitions);
        if (cpus > 1) line("0 CPU RANK \"CPU\"\n");
        line("1 CALL {} \"call\"\n2 MESSAGE RUN RANK RANK \"message\"\n", cpus > 1 ? "CPU" : "RANK");
        for (std::size_t call = 0; call < call_numbers; ++call) {
            line("3 c{} CALL \"{}\" \"{}\"\n", call, call_name(call), paje_colour(colour_of(call_kind(call))));
        }
        line("3 c{} CALL \"idle\" \"1 1 1\"\n", idle);
        line("4 0.0 run RUN 0 \"run\"\n");
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            line("4 0.0 r{0} RANK run \"rank {0}\"\n", rank);
            for (std::uint32_t cpu = 0; cpus > 1 && cpu < cpus; ++cpu)
                line("4 0.0 {} CPU r{} \"rank {} CPU {}\"\n", container({rank, cpu}), rank, rank, cpu);
        }
    }

    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        Time& ended = ended_[std::size_t{who.rank} * cpus_ + who.cpu];
        if (begin != ended) set_state(who, ended, idle);
        set_state(who, begin, static_cast<std::uint16_t>(call_number(action)));
        ended = end;
    }

    void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                   Time arrived) override {
        TimelineEvent event;
        event.kind = TimelineEvent::Kind::message_start;
        event.time = sent;
        event.number = messages_++;
        event.bytes = bytes;
        event.tag = tag;
        event.rank = from;
        sorter_.add(event);
        event.kind = TimelineEvent::Kind::message_end;
        event.time = arrived;
        event.rank = to;
        sorter_.add(event);
    }

    void finish(Time end) override {
        const auto ranks = static_cast<std::uint32_t>(ended_.size() / cpus_);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu)
                set_state({rank, cpu}, ended_[std::size_t{rank} * cpus_ + cpu], idle);
        }
        sorter_.drain([&](const TimelineEvent& event) {
            write(event);
            end = later(end, event.time);
        });
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            for (std::uint32_t cpu = 0; cpus_ > 1 && cpu < cpus_; ++cpu)
                line("5 {} CPU {}\n", exact_seconds(end), container({rank, cpu}));
            line("5 {} RANK r{}\n", exact_seconds(end), rank);
        }
        line("5 {} RUN run\n", exact_seconds(end));
        out_.commit();
    }

  private:
    // Of the states.
    [[nodiscard]] std::string container(CpuOfRank who) const {
        return cpus_ == 1 ? fmt::format("r{}", who.rank) : fmt::format("r{}c{}", who.rank, who.cpu);
    }

    void set_state(CpuOfRank who, Time time, std::uint16_t state) {
        TimelineEvent event;
        event.time = time;
        event.rank = who.rank;
        event.cpu = who.cpu;
        event.state = state;
        sorter_.add(event);
    }

    void write(const TimelineEvent& event) {
        text_.clear();
        const auto to = std::back_inserter(text_);
        switch (event.kind) {
        case TimelineEvent::Kind::state:
            text_ = "6 ";
            append_seconds(text_, event.time);
            if (cpus_ == 1) {
                fmt::format_to(to, " CALL r{} c{}\n", event.rank, event.state);
            } else {
                fmt::format_to(to, " CALL r{}c{} c{}\n", event.rank, event.cpu, event.state);
            }
            break;
        case TimelineEvent::Kind::message_start:
            text_ = "7 ";
            append_seconds(text_, event.time);
            fmt::format_to(to, " MESSAGE run message r{} {} {} {}\n", event.rank, event.number, event.bytes,
                           event.tag);
            break;
        case TimelineEvent::Kind::message_end:
            text_ = "8 ";
            append_seconds(text_, event.time);
            fmt::format_to(to, " MESSAGE run message r{} {}\n", event.rank, event.number);
            break;
        }
        out_.write(text_);
    }

    template <typename... Parts> void line(fmt::format_string<Parts...> form, Parts&&... parts) {
        out_.write(fmt::format(form, std::forward<Parts>(parts)...));
    }

    OutputFile out_;
    TimelineSorter sorter_;
    std::uint32_t cpus_;      // of each rank
    std::vector<Time> ended_; // per CPU: the end of its last call
    std::uint64_t messages_ = 0;
    std::string text_; // the line being written; its memory is reused
};

} // namespace

std::unique_ptr<ReplayTimeline> make_paje_timeline(const std::string& path, std::uint32_t ranks,
                                                   std::uint32_t cpus) {
    return std::make_unique<PajeTimeline>(path, ranks, cpus);
}

} // namespace orrery
