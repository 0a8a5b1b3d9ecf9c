// RankEngine, part 6 of 6: ranks whose CPUs also take messages as they come (EndpointParameters::interfaces).
//
// A fiber holds a turn for what it does next. It draws one when it becomes known that it can go on: when what
// it does now starts, if its end is known then, otherwise when what it waits for has started to end. So a rank
// takes its turns exactly as the operations of a schedule do that say the same (docs/loggops.md, "The order of
// ties"), and a trace and its schedule take the same time.
#include "protocol/rank_engine.h"

#include "engine/too_long.h"

#include <algorithm>

namespace orrery {

// Whether the fiber may start now; otherwise it comes back when it may.
bool RankEngine::acquire(const Fiber& fiber, Processors::Use use) {
    const std::uint32_t cpu = cpu_of(fiber);
    if (processors_.free(fiber.rank, cpu, use) <= clock_.now()) {
        if (logs()) events_->acquired(fiber.index, fiber.rank, cpu, use, clock_.now());
        return true;
    }
    processors_.wait({clock_.now(), fiber.turn, fiber.rank, 0, 0, fiber.index, Clock::Kind::resume}, fiber.rank,
                     cpu, use);
    return false;
}

// It is known now that the fiber goes on then, or when its CPU is free.
RankEngine::Outcome RankEngine::go_on_at(Fiber& fiber, Time at, Clock::Turn turn) {
    fiber.turn = turn;
    return pass_to(fiber, later(at, processors_.cpu_free(fiber.rank, cpu_of(fiber))));
}

// The fiber goes on then, by its turn; if nothing else happens before, without an event.
RankEngine::Outcome RankEngine::pass_to(Fiber& fiber, Time at) {
    if (!waking_ && passes(later(at, clock_.now()))) {
        fiber.running = fiber.turn;
        if (logs()) events_->goes_on_at(fiber.index, fiber.rank, cpu_of(fiber), clock_.now());
        return Outcome::done;
    }
    resume_at(fiber, at);
    return Outcome::blocked;
}

RankEngine::Outcome RankEngine::occupy(Fiber& fiber, std::uint8_t& phase, Time busy, bool computes) {
    if (phase != 0) return Outcome::done;
    if (!acquire(fiber, Processors::Use::compute)) return Outcome::blocked;
    phase = 1;
    const std::uint32_t cpu = cpu_of(fiber);
    check_length(clock_.now() + busy);
    const Time alone = busy;
    if (options_.noise != nullptr) busy += options_.noise->delay(RankId{fiber.rank}, cpu, clock_.now(), busy);
    if (computes && cpus_.crowded(hosts_[fiber.rank])) {
        if (logs()) events_->begin_compute(fiber.index, clock_.now(), busy, busy - alone);
        cpus_.compute(fiber.index, hosts_[fiber.rank], busy);
        processors_.occupy(fiber.rank, cpu, Processors::until_released());
        return Outcome::blocked;
    }
    check_length(clock_.now() + busy);
    if (logs()) events_->computes(fiber.index, fiber.rank, cpu, clock_.now(), busy, busy - alone);
    processors_.occupy(fiber.rank, cpu, clock_.now() + busy);
    return go_on_at(fiber, clock_.now(), clock_.draw());
}

RankEngine::Outcome RankEngine::send_in_turn(Fiber& fiber, std::uint8_t& phase, Messenger::Message message,
                                             bool blocking, bool synchronous, RequestId* request) {
    if (phase != 0) return Outcome::done;
    if (!acquire(fiber, Processors::Use::send)) return Outcome::blocked;
    phase = 1;
    message.cpu = static_cast<std::uint8_t>(cpu_of(fiber));
    const RequestId id = messenger_.send(message, synchronous);
    if (!blocking) *request = id;
    const Request& sent = messenger_.request(id);
    if (!blocking || sent.is(Request::complete)) {
        if (blocking) messenger_.release(id);
        return go_on_at(fiber, clock_.now(), clock_.draw());
    }
    begin_wait(fiber);
    add_wait(fiber, id);
    return end_wait(fiber);
}

RankEngine::Outcome RankEngine::exchange_in_turn(Fiber& fiber, std::uint8_t& phase, Messenger::Message out,
                                                 Messenger::Message in) {
    if (phase == 2) return Outcome::done;
    const bool starts = acquire(fiber, Processors::Use::send);
    const auto cpu = static_cast<std::uint8_t>(cpu_of(fiber));
    RequestId sent = no_request;
    if (starts) {
        out.cpu = cpu;
        sent = messenger_.send(out, false);
        fiber.turn = std::max(fiber.turn, clock_.draw());
    }
    if (phase == 0) { // the receive does not wait for the CPU
        in.cpu = cpu;
        fiber.pending = messenger_.recv(in);
        phase = 1;
        drain();
    }
    if (!starts) return Outcome::blocked;
    phase = 2;
    begin_wait(fiber);
    fiber.busy_until = processors_.cpu_free(fiber.rank, cpu);
    if (logs()) events_->goes_on_at(fiber.index, fiber.rank, cpu, fiber.busy_until);
    add_wait(fiber, sent);
    add_wait(fiber, std::exchange(fiber.pending, no_request));
    return end_wait(fiber);
}

// On a host whose ranks share its cores.
void RankEngine::end_computation(std::uint32_t index) {
    Fiber& fiber = fibers_[index];
    if (logs()) events_->end_compute(index, fiber.rank, clock_.now());
    if (!by_turns()) return clock_.go_on(index);
    if (logs()) events_->occupied(index, fiber.rank, cpu_of(fiber));
    processors_.release(fiber.rank, cpu_of(fiber));
    fiber.turn = clock_.draw();
    resume_at(fiber, clock_.now());
}

void RankEngine::tell_probers() {
    for (const Messenger::Came& each : messenger_.came()) {
        ranks_[each.rank].unexpected_at = later(ranks_[each.rank].unexpected_at, each.at);
        if (probers_[each.rank] == nobody) continue;
        Fiber& prober = fibers_[probers_[each.rank]];
        if (logs() && prober.mode != Fiber::Mode::going) events_->came_for(prober.index, each.rank);
        resume(prober);
    }
    messenger_.came().clear();
}

} // namespace orrery
