#include "protocol/processors.h"

namespace orrery {

void Processors::wait(const Clock::Due& due, std::uint32_t rank, std::uint32_t cpu, Use use) {
    Rank& each = ranks_[rank];
    if (each.waiting.empty()) each.waiting.resize(class_of(cpus, Use::compute));
    const std::size_t index = class_of(cpu, use);
    Class& waiting = each.waiting[index];
    const Waiter waiter{due.turn, due.source, due.ref, due.kind};
    waiting.set.push(waiter);
    if (waiter.before(waiting.wake)) schedule(rank, static_cast<std::uint32_t>(index));
}

void Processors::schedule(std::uint32_t rank, std::uint32_t index) {
    Class& waiting = ranks_[rank].waiting[index];
    const Time at = free(rank, index / 3, static_cast<Use>(index % 3));
    if (at == until_released()) {
        waiting.wake = {};
        return;
    }
    waiting.wake = waiting.set.oldest();
    clock_.at({later(at, clock_.now()), waiting.wake.turn, rank, waiting.wake.source, index, rank,
               Clock::Kind::wake});
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

bool Processors::wake(const Clock::Due& event, Clock::Due& next) {
    const std::uint32_t rank = event.ref;
    const std::uint32_t index = event.detail;
    Class& waiting = ranks_[rank].waiting[index];
    const bool replaced = waiting.wake.turn != event.turn || waiting.wake.source != event.source;
    if (waiting.set.empty() || replaced) return false;
    if (free(rank, index / 3, static_cast<Use>(index % 3)) > clock_.now()) { // an older one was first
        schedule(rank, index);
        return false;
    }
    waiting.wake = {};
    const Waiter waiter = waiting.set.pop();
    next = {clock_.now(), waiter.turn, rank, waiter.source, 0, waiter.ref, waiter.kind};
    return true;
}

void Processors::go_on(const Clock::Due& event) {
    Class& waiting = ranks_[event.ref].waiting[event.detail];
    if (!waiting.set.empty() && !waiting.wakes()) schedule(event.ref, event.detail);
}

} // namespace orrery
