#include "observe/recorded_events.h"

#include <vector>

namespace orrery {

namespace {

// An activity is one to three events: the CPU's part, noise, and the flight of the message that it sends. The
// posting of a receive takes no time and is none: whatever depends on it has the cause of the posting itself.
class Conversion {
  public:
    Conversion(const Recording& recording, const LogGOPS& parameters, EventLog& log)
        : recording_(recording), parameters_(parameters), log_(log), late_(recording.ranks, no_event) {}

    void convert() {
        for (std::uint32_t rank = 0; rank < recording_.ranks; ++rank) log_.hosts.push_back({rank});
        first_.reserve(recording_.activities.size());
        for (const Activity& activity : recording_.activities) add(activity);
        for (std::uint32_t rank = 0; rank < recording_.ranks; ++rank) {
            const Time finish = recording_.finish[rank];
            EventLink why = link(recording_.last[rank], recording_.last_how[rank], rank);
            if (why.event == no_event && finish > Time::zero()) why = late_start(rank, finish);
            log_.ends.push_back({finish, why});
        }
        log_.ended = true;
    }

  private:
    void add(const Activity& activity) {
        const EventLink why = link_of(activity);
        if (activity.kind == ActivityKind::post) {
            first_.push_back(static_cast<std::uint32_t>(posts_.size()));
            posts_.push_back(why);
            return;
        }
        LoggedEvent event;
        event.kind = kind_of(activity);
        event.rank = activity.rank;
        event.peer = activity.rank;
        event.start = activity.start;
        event.end = activity.end - activity.noise;
        set(event, why);
        if (activity.kind != ActivityKind::calc) {
            event.peer = activity.peer;
            event.bytes = activity.control ? 1 : activity.size;
        }
        const std::uint32_t first = log_.add(event);
        first_.push_back(first);
        if (activity.noise != Time::zero()) {
            LoggedEvent noise;
            noise.kind = EventKind::noise;
            noise.rank = noise.peer = activity.rank;
            noise.start = event.end;
            noise.end = activity.end;
            set(noise, {first, EventCause::before, false});
            log_.add(noise);
        }
        if (activity.kind != ActivityKind::send) return;
        event.kind = activity.control ? EventKind::control : EventKind::transfer;
        event.start = activity.start + parameters_.o;
        event.end = event.start + parameters_.L;
        set(event, {first, EventCause::before, true});
        log_.add(event);
    }

    static EventKind kind_of(const Activity& activity) {
        if (activity.kind == ActivityKind::calc) return EventKind::compute;
        return activity.kind == ActivityKind::send ? EventKind::send : EventKind::receive;
    }
    static void set(LoggedEvent& event, const EventLink& why) {
        event.cause = why.event;
        event.how = why.how;
        event.early = why.early;
    }

    EventLink link_of(const Activity& activity) {
        if (activity.how != Cause::none || activity.start == Time::zero())
            return link(activity.cause, activity.how, activity.rank);
        return late_start(activity.rank, activity.start);
    }

    EventLink late_start(std::uint32_t rank, Time at) {
        std::uint32_t& late = late_[rank];
        if (late == no_event) {
            LoggedEvent idle;
            idle.kind = EventKind::idle;
            idle.rank = idle.peer = rank;
            idle.end = at;
            late = log_.add(idle);
        }
        return {late, EventCause::before, false};
    }

    // What lets something on `rank` start.
    [[nodiscard]] EventLink link(std::uint32_t cause, Cause how, std::uint32_t rank) const {
        if (cause == no_activity || how == Cause::none) return {};
        const Activity& activity = recording_.activities[cause];
        const EventCause near = activity.rank == rank ? EventCause::before : EventCause::partner;
        if (activity.kind == ActivityKind::post) {
            EventLink why = posts_[first_[cause]];
            if (why.event != no_event && near == EventCause::partner) why.how = near;
            return why;
        }
        const std::uint32_t first = first_[cause];
        const std::uint32_t end = first + (activity.noise == Time::zero() ? 0 : 1);
        switch (how) {
        case Cause::end: return {end, near, false};
        case Cause::start: return {first, near, true};
        case Cause::port: return {first, EventCause::interface, true};
        case Cause::arrival: return {end + 1, EventCause::arrival, false};
        case Cause::partner: return {first, EventCause::partner, true};
        case Cause::none: break;
        }
        return {};
    }

    const Recording& recording_;
    const LogGOPS& parameters_;
    EventLog& log_;
    std::vector<std::uint32_t> first_; // of each activity: its first event; of a post: its place in `posts_`
    std::vector<EventLink> posts_;
    std::vector<std::uint32_t> late_; // of each rank: the event of its late start
};

} // namespace

void log_events(const Recording& recording, const LogGOPS& parameters, EventLog& log) {
    Conversion(recording, parameters, log).convert();
}

} // namespace orrery
