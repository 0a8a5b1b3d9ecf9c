// RankEngine, part 6 of 6: ranks whose CPUs also take messages as they come (EndpointParameters::interfaces).
//
// A strand holds a turn for what it does next. It draws one when it becomes known that it can go on: when what
// it does now starts, if its end is known then, otherwise when what it waits for has started to end. So a rank
// takes its turns exactly as the operations of a schedule do that say the same (docs/loggops.md, "The order of
// ties"), and a trace and its schedule take the same time.
#include "protocol/rank_engine.h"

#include "engine/too_long.h"

#include <algorithm>

namespace orrery {

// Whether the strand may start now; otherwise it comes back when it may.
bool RankEngine::acquire(const Strand& strand, Processors::Use use) {
    const std::uint32_t cpu = cpu_of(strand);
    if (processors_.free(strand.rank, cpu, use) <= clock_.now()) {
        if (logs()) events_->acquired(strand.index, strand.rank, cpu, use, clock_.now());
        return true;
    }
    processors_.wait({clock_.now(), strand.turn, strand.rank, 0, 0, strand.index, Clock::Kind::resume},
                     strand.rank, cpu, use);
    return false;
}

// It is known now that the strand goes on then, or when its CPU is free.
RankEngine::Outcome RankEngine::go_on_at(Strand& strand, Time at, Clock::Turn turn) {
    strand.turn = turn;
    return pass_to(strand, later(at, processors_.cpu_free(strand.rank, cpu_of(strand))));
}

// The strand goes on then, by its turn; if nothing else happens before, without an event.
RankEngine::Outcome RankEngine::pass_to(Strand& strand, Time at) {
    if (!waking_ && passes(later(at, clock_.now()))) {
        strand.running = strand.turn;
        if (logs()) events_->goes_on_at(strand.index, strand.rank, cpu_of(strand), clock_.now());
        return Outcome::done;
    }
    resume_at(strand, at);
    return Outcome::blocked;
}

RankEngine::Outcome RankEngine::occupy(Strand& strand, std::uint8_t& phase, Time busy, bool computes) {
    if (phase != 0) return Outcome::done;
    if (!acquire(strand, Processors::Use::compute)) return Outcome::blocked;
    phase = 1;
    const std::uint32_t cpu = cpu_of(strand);
    check_length(clock_.now() + busy);
    const Time alone = busy;
    if (options_.noise != nullptr) busy += options_.noise->delay(RankId{strand.rank}, cpu, clock_.now(), busy);
    if (computes && cpus_.crowded(hosts_[strand.rank])) {
        if (logs()) events_->begin_compute(strand.index, clock_.now(), busy, busy - alone);
        cpus_.compute(strand.index, hosts_[strand.rank], busy);
        processors_.occupy(strand.rank, cpu, Processors::until_released());
        return Outcome::blocked;
    }
    check_length(clock_.now() + busy);
    if (logs()) events_->computes(strand.index, strand.rank, cpu, clock_.now(), busy, busy - alone);
    processors_.occupy(strand.rank, cpu, clock_.now() + busy);
    return go_on_at(strand, clock_.now(), clock_.draw());
}

RankEngine::Outcome RankEngine::send_in_turn(Strand& strand, std::uint8_t& phase, Messenger::Message message,
                                             bool blocking, bool synchronous, RequestId* request) {
    if (phase != 0) return Outcome::done;
    if (!acquire(strand, Processors::Use::send)) return Outcome::blocked;
    phase = 1;
    message.cpu = static_cast<std::uint8_t>(cpu_of(strand));
    const RequestId id = messenger_.send(message, synchronous);
    if (!blocking) *request = id;
    const Request& sent = messenger_.request(id);
    if (!blocking || sent.is(Request::complete)) {
        if (blocking) messenger_.release(id);
        return go_on_at(strand, clock_.now(), clock_.draw());
    }
    begin_wait(strand);
    add_wait(strand, id);
    return end_wait(strand);
}

RankEngine::Outcome RankEngine::exchange_in_turn(Strand& strand, std::uint8_t& phase, Messenger::Message out,
                                                 Messenger::Message in) {
    if (phase == 2) return Outcome::done;
    const bool starts = acquire(strand, Processors::Use::send);
    const auto cpu = static_cast<std::uint8_t>(cpu_of(strand));
    RequestId sent = no_request;
    if (starts) {
        out.cpu = cpu;
        sent = messenger_.send(out, false);
        strand.turn = std::max(strand.turn, clock_.draw());
    }
    if (phase == 0) { // the receive does not wait for the CPU
        in.cpu = cpu;
        strand.pending = messenger_.recv(in);
        phase = 1;
        drain();
    }
    if (!starts) return Outcome::blocked;
    phase = 2;
    begin_wait(strand);
    strand.busy_until = processors_.cpu_free(strand.rank, cpu);
    if (logs()) events_->goes_on_at(strand.index, strand.rank, cpu, strand.busy_until);
    add_wait(strand, sent);
    add_wait(strand, std::exchange(strand.pending, no_request));
    return end_wait(strand);
}

// On a host whose ranks share its cores.
void RankEngine::end_computation(std::uint32_t index) {
    Strand& strand = strands_[index];
    if (logs()) events_->end_compute(index, strand.rank, clock_.now());
    if (!by_turns()) return clock_.go_on(index);
    if (logs()) events_->occupied(index, strand.rank, cpu_of(strand));
    processors_.release(strand.rank, cpu_of(strand));
    strand.turn = clock_.draw();
    resume_at(strand, clock_.now());
}

void RankEngine::tell_probers() {
    for (const Messenger::Came& each : messenger_.came()) {
        ranks_[each.rank].unexpected_at = later(ranks_[each.rank].unexpected_at, each.at);
        if (probers_[each.rank] == nobody) continue;
        Strand& prober = strands_[probers_[each.rank]];
        if (logs() && prober.mode != Strand::Mode::going) events_->came_for(prober.index, each.rank);
        resume(prober);
    }
    messenger_.came().clear();
}

} // namespace orrery
