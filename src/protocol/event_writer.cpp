// EventWriter, part 1 of 2: fibers, computations and messages. What must hold is that the link which is chosen
// as a cause lets go at exactly the start of the event; of several that do, the one that is closest to it.
#include "protocol/event_writer.h"

#include <algorithm>

namespace orrery {

EventWriter::EventWriter(EventLog& log, const std::vector<HostId>& hosts, Bytes envelope, std::uint32_t cpus)
    : log_(log), cpus_of_rank_(cpus), takings_(cpus * hosts.size()), came_(hosts.size()),
      cpus_(cpus * hosts.size()), interfaces_(2 * hosts.size()) {
    log_.hosts = hosts;
    log_.ends.assign(hosts.size(), {});
    log_.envelope = envelope;
}

EventWriter::Why EventWriter::present(std::uint32_t rank) const {
    Why why = acting_ == nobody_acts ? present_ : fibers_[acting_];
    if (why.link.event == no_event) return why;
    const bool by_rank = acting_ != nobody_acts || why.link.how == EventCause::before;
    if (by_rank && acting_rank_ != rank) why.link.how = EventCause::partner;
    if (lock_released_) why.link.how = EventCause::lock;
    return why;
}

EventWriter::Why EventWriter::add(EventKind kind, std::uint32_t rank, std::uint32_t peer, Bytes bytes,
                                  Time start, Time end, const Why& cause) {
    const std::uint32_t event = log_.add({start, end, bytes, cause.link.event, rank, peer, kind, cause.link.how,
                                          cause.link.early && cause.at == start});
    return {end, {event, EventCause::before, false}};
}

void EventWriter::starts(std::uint32_t fiber, std::uint32_t rank, Time at) {
    fiber_why(fiber) = {};
    if (at > Time::zero()) passes(fiber, rank, EventKind::idle, Time::zero(), at);
    for (std::uint32_t cpu = 0; cpu < cpus_of_rank_; ++cpu)
        occupied(fiber, rank, cpu); // no message is taken before
}

void EventWriter::passes(std::uint32_t fiber, std::uint32_t rank, EventKind kind, Time from, Time to,
                         Bytes bytes, std::uint32_t peer) {
    if (to <= from) return;
    Why& why = fiber_why(fiber);
    why = add(kind, rank, peer, bytes, from, to, why);
}

void EventWriter::timed_out(std::uint32_t fiber, std::uint32_t rank, Time now) {
    passes(fiber, rank, EventKind::idle, fiber_why(fiber).at, now);
}

void EventWriter::completes(std::uint32_t fiber, std::uint32_t rank, std::uint32_t request, Time at,
                            Time busy_until, EventKind kind, Time cost, Bytes bytes, std::uint32_t peer) {
    Why& why = fiber_why(fiber);
    if (at > busy_until) {
        const Why& taken = taking(rank, 0);
        why = requests(request).done;
        if (at != why.at && at == taken.at) why = taken; // its CPU was taking something else
        move(why, at);
    }
    passes(fiber, rank, kind, later(at, busy_until), later(at, busy_until) + cost, bytes, peer);
}

void EventWriter::granted(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Time now) {
    Why& why = fiber_why(fiber);
    for (const Why& other : {cpu_why(rank, cpu), taking(rank, cpu)}) {
        if (other.at <= why.at || other.at > now) continue;
        why = other;
        why.link.how = EventCause::cpu;
    }
}

void EventWriter::end_compute(std::uint32_t fiber, std::uint32_t rank, Time end) {
    const Computing& what = computing_[fiber];
    const Time alone = later(Time::zero(), what.busy - what.noise);
    const Time computed = std::min(end, what.since + alone);
    const Time noise = std::min(end, computed + what.noise);
    passes(fiber, rank, EventKind::compute, what.since, computed);
    passes(fiber, rank, EventKind::noise, computed, noise);
    passes(fiber, rank, EventKind::core_wait, noise, end);
}

void EventWriter::departs(std::uint32_t send, std::uint32_t from, Time now) {
    OfRequest& request = requests(send);
    request.message = present(from);
    request.left = now;
}

void EventWriter::arrives(std::uint32_t send, EventKind kind, std::uint32_t from, std::uint32_t to, Bytes bytes,
                          Time now) {
    OfRequest& request = requests(send);
    request.message = add(kind, from, to, bytes, request.left, now, request.message);
    request.message.link.how = EventCause::arrival;
    because(request.message);
}

void EventWriter::travels(std::uint32_t send, std::uint32_t from, std::uint32_t to, Time left, Time arrived) {
    OfRequest& request = requests(send);
    request.message = add(EventKind::control, from, to, 0, left, arrived, present(from));
    request.message.link.how = EventCause::arrival;
}

void EventWriter::answers(std::uint32_t send, std::uint32_t from, std::uint32_t to, Time posted, Time latency,
                          Time left, Time arrived) {
    OfRequest& request = requests(send);
    Why why = present(from);
    if (why.at < left) { // the request came last
        why = add(EventKind::control, to, from, 0, posted, posted + latency, request.message);
        why.link.how = EventCause::arrival;
    }
    request.message = add(EventKind::control, from, to, 0, left, arrived, why);
    request.message.link.how = EventCause::arrival;
}

void EventWriter::takes(const Taking& what, Time begin, Time alone, Time end) {
    Why why = requests(what.send).message;
    const auto consider = [&](Why other) {
        if (other.at > begin) { // what the CPU does goes on beside it
            other.at = begin;
            other.link.early = true;
        }
        if (other.at > why.at) why = other;
    };
    Why& taken = taking(what.rank, what.cpu);
    consider(taken);
    consider(cpu_why(what.rank, what.cpu));
    if (what.cpu == 0) consider(fiber_why(what.rank));
    taken = add(what.kind, what.rank, what.peer, what.bytes, begin, alone, why);
    if (end > alone) taken = add(EventKind::noise, what.rank, 0, 0, alone, end, taken);
}

void EventWriter::told(std::uint32_t send, std::uint32_t sender, std::uint32_t receiver, std::uint32_t cpu,
                       Time now) {
    because_of_taking(receiver, cpu);
    Why why = present(sender);
    move(why, now);
    because_of_cpu(why, sender);
    requests(send).message = why;
}

void EventWriter::transferred(std::uint32_t line) {
    if (line >= operations_.size()) operations_.resize(line + std::size_t{1} + operations_.size() / 2);
    operations_[line] = present_;
}

void EventWriter::finished(std::uint32_t fiber, std::uint32_t rank, Time at) {
    Why why = fiber_why(fiber);
    for (std::uint32_t cpu = 0; cpu < cpus_of_rank_; ++cpu) {
        if (why.at < at && cpu_why(rank, cpu).at == at) why = cpu_why(rank, cpu);
    }
    move(why, at);
    log_.ends[rank] = {at, why.link};
    log_.ended = true;
}

} // namespace orrery
