#include "protocol/processors.h"

namespace orrery {

void Processors::wait(const Event& due, std::uint32_t rank, std::uint32_t cpu, Use use) {
    Rank& each = ranks_[rank];
    if (each.waiting.empty()) each.waiting.resize(class_of(cpus, Use::compute));
    const std::size_t index = class_of(cpu, use);
    Class& waiting = each.waiting[index];
    waiting.set.push({due.order, due.ref});
    if (Clock::turn_of(due.order) < waiting.wake) schedule(rank, static_cast<std::uint32_t>(index));
}

void Processors::schedule(std::uint32_t rank, std::uint32_t index) {
    Class& waiting = ranks_[rank].waiting[index];
    waiting.wake = Clock::turn_of(waiting.set.oldest().order);
    const Time at = free(rank, index / 3, static_cast<Use>(index % 3));
    if (at == until_released()) {
        waiting.wake = no_wake;
        return;
    }
    clock_.at(later(at, clock_.now()), waiting.wake, Clock::Kind::wake, index, rank);
}

void Processors::release(std::uint32_t rank, std::uint32_t cpu) {
    Rank& each = ranks_[rank];
    each.cpu[cpu] = clock_.now();
    for (const Use use : {Use::compute, Use::send, Use::receive}) {
        const std::size_t index = class_of(cpu, use);
        if (index < each.waiting.size() && !each.waiting[index].set.empty())
            schedule(rank, static_cast<std::uint32_t>(index));
    }
}

bool Processors::wake(const Event& event, Event& next) {
    const std::uint32_t rank = event.ref;
    const std::uint32_t index = event.rank;
    Class& waiting = ranks_[rank].waiting[index];
    if (waiting.set.empty() || waiting.wake != Clock::turn_of(event.order)) return false; // it was replaced
    if (free(rank, index / 3, static_cast<Use>(index % 3)) > clock_.now()) { // an older one was first
        schedule(rank, index);
        return false;
    }
    waiting.wake = no_wake;
    const Waiter waiter = waiting.set.pop();
    next = {clock_.now(), waiter.order, 0, waiter.ref};
    return true;
}

void Processors::go_on(const Event& event) {
    Class& waiting = ranks_[event.ref].waiting[event.rank];
    if (!waiting.set.empty() && waiting.wake == no_wake) schedule(event.ref, event.rank);
}

} // namespace orrery
