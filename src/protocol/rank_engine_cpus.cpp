// RankEngine, part 5 of 6: CPUs that take messages while they have nothing else to do.
//
// What happens first at one instant must not matter, so that a trace and its schedule take the same time: CPUs
// begin operations and messages when all else of the instant has happened, and then messages leave for the
// network. A rank's own CPU has one fiber, which starts its operations itself; the fibers of nonblocking
// collectives take turns on the second one.
#include "protocol/rank_engine.h"

#include "engine/sums.h"

#include <utility>

namespace orrery {

void RankEngine::take_messages(std::uint32_t rank) {
    RankCpu* const cpu = rank_cpus_.find(rank, 0);
    if (cpu != nullptr && !cpu->messages.empty()) rank_cpus_.unsettle(*cpu);
}

void RankEngine::settle() {
    if (!rank_cpus_.settled()) return rank_cpus_.settle([this](RankCpu& cpu) { settle(cpu); });
    messenger_.depart();
    drain();
    tell_probers();
}

void RankEngine::settle(RankCpu& cpu) {
    if (cpu.occupied || cpu.taking) return;
    if (!cpu.operations.empty()) {
        const RankCpu::Waiting next = RankCpu::take_first(cpu.operations);
        cpu.occupied = next.takes_time;
        if (!next.takes_time) rank_cpus_.unsettle(cpu); // what follows it may go first
        return begin_operation(cpu, next);
    }
    if (!cpu.messages.empty() && (cpu.number != 0 || in_call(cpu.rank))) take_next(cpu);
}

void RankEngine::take_next(RankCpu& cpu) {
    const RequestId id = RankCpu::take_first(cpu.messages).ref;
    const Request& request = messenger_.request(id);
    const Fiber& fiber = fibers_[cpu.rank];
    const bool waits = !by_cpu_ && fiber.mode == Fiber::Mode::waiting; // for overheads before it
    const Time begin = waits ? later(clock_.now(), fiber.busy_until) : clock_.now();
    const Time busy = messenger_.taking_cost(request);
    cpu.taking = true;
    cpu.taking_until = sum_up_to_longest(begin, by_cpu_ ? prolonged(cpu.rank, cpu.number, begin, busy) : busy);
    if (logs()) {
        const bool receives = request.kind == Request::Kind::recv;
        const EventWriter::Taking what{receives ? request.partner : id,
                                       receives ? EventKind::receive : EventKind::send,
                                       cpu.rank,
                                       cpu.number,
                                       request.peer,
                                       request.bytes};
        events_->takes(what, begin, sum_up_to_longest(begin, busy), cpu.taking_until);
    }
    if (request.kind == Request::Kind::recv && request.is(Request::fetch))
        clock_.at(later(clock_.now(), cpu.taking_until - options_.endpoint.fetch_tail), Clock::Kind::told,
                  request.partner);
    clock_.at(cpu.taking_until, Clock::Kind::taken, id);
    on_take(request, begin, cpu.taking_until);
}

void RankEngine::end_take(RequestId id) {
    const Request& request = messenger_.request(id);
    RankCpu& cpu = rank_cpus_.at(request.rank, taking_cpu(request));
    cpu.taking = false;
    rank_cpus_.unsettle(cpu);
    if (logs()) events_->because_of_taking(cpu.rank, cpu.number);
    messenger_.taken(id);
    drain();
}

// In a wait as SimGrid has it, the rank's own CPU pays for all.
std::uint32_t RankEngine::taking_cpu(const Request& request) const {
    return by_cpu_ ? request.bits & Request::posters : 0;
}

void RankEngine::begin_operation(RankCpu& cpu, const RankCpu::Waiting& operation) {
    const Fiber& fiber = fibers_[operation.ref];
    if (logs()) events_->granted(fiber.index, fiber.rank, cpu.number, clock_.now());
    fibers_[operation.ref].cpu = Fiber::granted;
    clock_.go_on(operation.ref);
}

void RankEngine::end_operation(std::uint32_t /*operation*/) {}

bool RankEngine::takes_turn(Fiber& fiber, bool takes_time) {
    if ((fiber.cpu & Fiber::granted) != 0) {
        fiber.cpu = static_cast<std::uint8_t>(takes_time ? Fiber::occupies : 0);
        fiber.busy_until = clock_.now();
        return true;
    }
    RankCpu& cpu = rank_cpus_.at(fiber.rank, cpu_of(fiber));
    if (!takes_time && fiber.busy_until == clock_.now() && cpu.lets_pass(clock_.now())) return true;
    RankCpu::add(cpu.operations, {fiber.busy_until, fiber.turn, fiber.index, takes_time});
    rank_cpus_.unsettle(cpu);
    return false;
}

RankEngine::Outcome RankEngine::do_work(Fiber& fiber, Time busy, EventKind what, Bytes bytes,
                                        std::uint32_t peer) {
    const Time begin = clock_.now();
    const Time alone = sum_up_to_longest(begin, busy);
    if (by_cpu_) busy = prolonged(fiber.rank, cpu_of(fiber), begin, busy);
    const Time end = sum_up_to_longest(begin, busy);
    if (logs()) {
        events_->passes(fiber.index, fiber.rank, what, begin, alone, bytes, peer);
        events_->passes(fiber.index, fiber.rank, EventKind::noise, alone, end);
    }
    return sleep_until(fiber, end);
}

// The receive is posted before the send begins.
RankEngine::Outcome RankEngine::exchange_by_cpu(Fiber& fiber, std::uint8_t& phase,
                                                const Messenger::Message& out, const Messenger::Message& in) {
    if (phase == 0) {
        const Time ready = fiber.busy_until;
        if (!starts(fiber, false)) return Outcome::blocked;
        fiber.busy_until = ready;
        phase = 1;
        Messenger::Message posted = in;
        name_cpu(fiber, posted);
        fiber.pending = messenger_.recv(posted);
        drain();
    }
    const Time overhead = options_.endpoint.isend_cost(out.bytes);
    if (phase == 1) {
        if (!starts(fiber, overhead > Time::zero())) return Outcome::blocked;
        phase = 2;
        if (work(fiber, overhead, EventKind::send, out.bytes, out.to) == Outcome::blocked)
            return Outcome::blocked;
    }
    if (phase == 2) {
        phase = 3;
        Messenger::Message posted = out;
        name_cpu(fiber, posted);
        const RequestId sent = messenger_.send(posted, false);
        drain();
        begin_wait(fiber);
        add_wait(fiber, sent);
        add_wait(fiber, std::exchange(fiber.pending, no_request));
        return end_wait(fiber);
    }
    return Outcome::done;
}

} // namespace orrery
