#include "drivers/dimemas/cause_tracker.h"

#include <algorithm>

namespace orrery::dimemas {

namespace {

// How those that did not send it see the end of a message or collective.
EventLink arrival_of(EventLink link) {
    if (link.how == EventCause::before) link.how = EventCause::arrival;
    return link;
}

bool waited_for_resource(EventCause how) {
    return how == EventCause::output_link || how == EventCause::input_link || how == EventCause::bus;
}

} // namespace

CauseTracker::CauseTracker(EventLog& log, const std::vector<std::uint32_t>& nodes)
    : log_(log), threads_(nodes.size()) {
    log_.ends.assign(nodes.size(), {});
    log_.hosts.clear();
    for (const std::uint32_t node : nodes) log_.hosts.push_back(HostId{node});
}

EventLink CauseTracker::cause(std::uint32_t rank) const {
    EventLink link = present_;
    if (link.how == EventCause::before && acting_rank_ != rank) link.how = EventCause::partner;
    return link;
}

EventLink CauseTracker::cause(std::uint32_t rank, EventCause what) const {
    EventLink link = cause(rank);
    if (releases_ && link.event != no_event) link.how = what;
    return link;
}

EventLink CauseTracker::add(EventKind kind, std::uint32_t rank, std::uint32_t peer, Bytes bytes, Time start,
                            Time end, const EventLink& why) {
    if (start == end && !waited_for_resource(why.how)) return why;
    return {log_.add({start, end, bytes, why.event, rank, peer, kind, why.how, why.early}), EventCause::before,
            false};
}

void CauseTracker::ready(std::uint32_t thread, Time now) { threads_[thread] = {cause(thread), now}; }

void CauseTracker::runs(std::uint32_t thread, const Work& work, Time now) {
    OfThread& of = threads_[thread];
    if (of.since < now) { // it has waited for a processor
        of.why = present_;
        if (of.why.event != no_event) of.why.how = EventCause::cpu;
    }
    const Time begin = now + work.context_switch;
    const Time done = begin + work.busy;
    of.why = add(EventKind::call, thread, thread, 0, now, begin, of.why);
    of.why = add(work.kind, thread, work.peer, work.bytes, begin, done, of.why);
    of.why = add(EventKind::noise, thread, thread, 0, done, done + work.noise, of.why);
}

void CauseTracker::waits(std::uint32_t transfer, EventCause what) { at(transfers_, transfer).waited = what; }

void CauseTracker::claim_waits(std::uint32_t op, EventCause what) { at(collectives_, op).waited = what; }

void CauseTracker::begins(std::uint32_t transfer, std::uint32_t from, std::uint32_t to, Bytes bytes, Time now,
                          Time carried, Time arrived) {
    OfTransfer& of = at(transfers_, transfer);
    of.from = from;
    of.carried = add(EventKind::transfer, from, to, bytes, now, carried, cause(from, of.waited));
    of.arrived = arrival_of(add(EventKind::latency, from, to, 0, carried, arrived, of.carried));
    of.waited = EventCause::none;
}

void CauseTracker::complete(std::uint32_t op, std::uint32_t last) { at(collectives_, op).last = last; }

void CauseTracker::collective_begins(std::uint32_t op, const Closed& form, Time now) {
    OfCollective& of = at(collectives_, op);
    const Time latency = std::min(now + form.latency, form.carried);
    const EventLink begun =
        add(EventKind::latency, of.last, of.last, 0, now, latency, cause(of.last, of.waited));
    of.carried = add(EventKind::collective, of.last, of.last, form.bytes, latency, form.carried, begun);
    of.ended = arrival_of(add(EventKind::latency, of.last, of.last, 0, form.carried, form.ended, of.carried));
    of.waited = EventCause::none;
}

} // namespace orrery::dimemas
