// EventWriter, part 2 of 2: ranks whose CPUs and interfaces are taken by messages, too (LogGOPS).
#include "protocol/event_writer.h"

namespace orrery {

void EventWriter::acquired(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Processors::Use use,
                           Time now) {
    Why& why = fiber_why(fiber);
    const auto consider = [&](const Why& other) {
        if (other.at > why.at && other.at <= now) why = other;
    };
    consider(cpu_why(rank, cpu));
    if (use != Processors::Use::compute) consider(interface_why(rank, use == Processors::Use::receive));
}

void EventWriter::goes_on_at(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Time at) {
    Why& why = fiber_why(fiber);
    if (why.at < at && cpu_why(rank, cpu).at == at) why = cpu_why(rank, cpu);
    if (why.at > at) move(why, at); // it need not wait for the end
}

void EventWriter::computes(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Time now, Time busy,
                           Time noise) {
    begin_compute(fiber, now, busy, noise);
    end_compute(fiber, rank, now + busy);
    occupied(fiber, rank, cpu);
}

void EventWriter::uses_interface(std::uint32_t rank, std::uint32_t cpu, EventKind kind, std::uint32_t peer,
                                 Bytes bytes, Time now, Time busy, Time noise, Time interface_until) {
    Why& interface = interface_why(rank, kind == EventKind::receive);
    Why cause = present(rank);
    if (cause.at < now && cpu_why(rank, cpu).at == now) cause = cpu_why(rank, cpu);
    if (cause.at < now && interface.at == now) cause = interface;
    const Why used = add(kind, rank, peer, bytes, now, now + busy, cause);
    last_use_ = used;
    Why& taken = cpu_why(rank, cpu);
    taken = used;
    if (noise > Time::zero())
        taken = add(EventKind::noise, rank, rank, 0, now + busy, now + busy + noise, used);
    last_end_ = taken;
    taken.link.how = EventCause::cpu;
    interface = {interface_until, {used.link.event, EventCause::interface, true}};
}

void EventWriter::leaves_interface(std::uint32_t send, EventKind kind, std::uint32_t from, std::uint32_t to,
                                   Bytes bytes, Time left, Time arrived) {
    Why cause = last_use_;
    cause.link.early = true; // whatever its bytes cost the CPU
    cause.at = left;
    Why& message = requests(send).message;
    message = add(kind, from, to, bytes, left, arrived, cause);
    message.link.how = EventCause::arrival;
}

void EventWriter::taken(std::uint32_t send, Time now) {
    Why& message = requests(send).message;
    message = last_end_;
    because({now, {last_use_.link.event, EventCause::partner, true}});
}

void EventWriter::extended(std::uint32_t rank, std::uint32_t cpu, Time now) {
    if (cpu_why(rank, cpu).at < now) cpu_why(rank, cpu) = present(rank);
}

void EventWriter::done_at(std::uint32_t request, std::uint32_t send, std::uint32_t rank, std::uint32_t cpu,
                          Time at) {
    Why& done = requests(request).done;
    const Why& message = requests(send).message;
    const Why& taken = cpu_why(rank, cpu);
    if (message.at == at) {
        done = message;
    } else if (done.at < at && taken.at == at) {
        done = taken;
    }
    move(done, at);
}

void EventWriter::released_at(std::uint32_t request, std::uint32_t rank, std::uint32_t cpu, Time at) {
    Why& done = requests(request).done;
    if (done.at < at && cpu_why(rank, cpu).at == at) done = cpu_why(rank, cpu);
    move(done, at);
}

void EventWriter::sent_at(std::uint32_t request, Time at) {
    requests(request).done = last_end_;
    move(requests(request).done, at);
}

} // namespace orrery
