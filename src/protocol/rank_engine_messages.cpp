// RankEngine, part 2 of 6: messages and computing.
#include "protocol/rank_engine.h"

#include "engine/error.h"

namespace orrery {

[[gnu::flatten]] RankEngine::Outcome RankEngine::send(Fiber& fiber, std::uint8_t& phase,
                                                      const Messenger::Message& message, bool blocking,
                                                      bool synchronous, RequestId* request) {
    if (by_turns()) return send_in_turn(fiber, phase, message, blocking, synchronous, request);
    const EndpointParameters& endpoint = options_.endpoint;
    if (phase == 0) {
        const bool eager = !synchronous && message.bytes < endpoint.eager_below;
        const bool free = blocking && !eager && !synchronous && endpoint.overhead_if_eager_only;
        const Time overhead =
            free ? Time::zero()
                 : (blocking ? endpoint.send_cost(message.bytes) : endpoint.isend_cost(message.bytes));
        if (!starts(fiber, overhead > Time::zero())) return Outcome::blocked;
        phase = 1;
        if (work(fiber, overhead, EventKind::send, message.bytes, message.to) == Outcome::blocked)
            return Outcome::blocked;
    }
    if (phase == 1) {
        phase = 2;
        Messenger::Message posted = message;
        name_cpu(fiber, posted);
        const RequestId id = messenger_.send(posted, synchronous);
        tell_probers();
        drain();
        if (!blocking) {
            *request = id;
            return Outcome::done;
        }
        begin_wait(fiber);
        add_wait(fiber, id);
        return end_wait(fiber);
    }
    return Outcome::done;
}

RankEngine::Outcome RankEngine::receive(Fiber& fiber, std::uint8_t& phase, const Messenger::Message& message) {
    if (phase != 0) return Outcome::done;
    if (!starts(fiber, false)) return Outcome::blocked;
    phase = 1;
    Messenger::Message posted = message;
    name_cpu(fiber, posted);
    const RequestId id = messenger_.recv(posted);
    drain();
    begin_wait(fiber);
    add_wait(fiber, id);
    return end_wait(fiber);
}

RankEngine::Outcome RankEngine::post_receive(Fiber& fiber, std::uint8_t& phase,
                                             const Messenger::Message& message, RequestId* request) {
    if (phase != 0) return Outcome::done;
    if (!starts(fiber, false)) return Outcome::blocked;
    phase = 1;
    Messenger::Message posted = message;
    name_cpu(fiber, posted);
    *request = messenger_.recv(posted);
    drain();
    if (!by_turns()) return Outcome::done;
    // If a message was there, the turn after the receive's end is the fiber's.
    const Request& received = messenger_.request(*request);
    return go_on_at(fiber, clock_.now(), received.is(Request::complete) ? received.turn + 1 : clock_.draw());
}

RequestId RankEngine::receive_taken(const Fiber& fiber, RequestId send, Messenger::Message message) {
    name_cpu(fiber, message);
    const RequestId request = messenger_.recv_taken(send, message);
    drain();
    return request;
}

RankEngine::Outcome RankEngine::exchange(Fiber& fiber, std::uint8_t& phase, const Messenger::Message& out,
                                         const Messenger::Message& in) {
    if (out.to == fiber.rank && in.from == fiber.rank) return Outcome::done; // a copy
    if (by_turns()) return exchange_in_turn(fiber, phase, out, in);
    if (by_cpu_) return exchange_by_cpu(fiber, phase, out, in);
    if (phase == 0) {
        phase = 1;
        const Time overhead = options_.endpoint.isend_cost(out.bytes);
        if (spend(fiber, clock_.now() + overhead, EventKind::send, out.bytes, out.to) == Outcome::blocked)
            return Outcome::blocked;
    }
    if (phase == 1) {
        phase = 2;
        Messenger::Message first = out;
        name_cpu(fiber, first);
        const RequestId sent = messenger_.send(first, false);
        tell_probers();
        Messenger::Message second = in;
        name_cpu(fiber, second);
        const RequestId received = messenger_.recv(second);
        drain();
        begin_wait(fiber);
        add_wait(fiber, sent);
        add_wait(fiber, received);
        return end_wait(fiber);
    }
    return Outcome::done;
}

RankEngine::Outcome RankEngine::failed_probe(Fiber& fiber) {
    const Time test = options_.endpoint.test;
    const std::int64_t times = options_.endpoint.test_grows ? std::int64_t{failed_probes_} + 1 : 1;
    const bool too_long = test > Time::zero() && times > Time::longest().ticks() / test.ticks();
    const Time cost = too_long ? Time::longest() : times * test;
    if (RankCpu* const cpu = rank_cpus_.find(fiber.rank, 0); // a test is a call, too: it takes one message
        cpu != nullptr && !cpu->taking && !cpu->messages.empty())
        take_next(*cpu);
    const Time taken = taking_until(fiber.rank);
    if (taken <= clock_.now() + cost) return spend(fiber, clock_.now() + cost, EventKind::call);
    if (logs()) events_->fetched_for(fiber.index, fiber.rank);
    return sleep_until(fiber, taken);
}

RankEngine::Outcome RankEngine::await_message(Fiber& fiber) {
    // What the CPU takes at present can be seen when it is done.
    if (by_turns() && ranks_[fiber.rank].unexpected_at > clock_.now()) {
        if (logs()) events_->came_for(fiber.index, fiber.rank);
        return sleep_until(fiber, ranks_[fiber.rank].unexpected_at);
    }
    probers_[fiber.rank] = fiber.index;
    fiber.mode = Fiber::Mode::probing;
    take_messages(fiber.rank);
    return Outcome::blocked;
}

RankEngine::Outcome RankEngine::timed_wait(Fiber& fiber, Time until) {
    (void)await_message(fiber);
    if (fiber.mode != Fiber::Mode::probing) return Outcome::blocked;
    fiber.mode = Fiber::Mode::in_timed_wait;
    plan_end_of_pause(fiber, until);
    return Outcome::blocked;
}

Time RankEngine::busy_time(std::uint32_t rank, double volume, double rate) const {
    return Time::from_ps(volume / (rate > 0 ? rate : platform_.speed(hosts_[rank], volume)) * 1e12,
                         "a computation");
}

// The fiber goes on when so much of a core's time has been spent.
RankEngine::Outcome RankEngine::compute(Fiber& fiber, std::uint8_t& phase, Time busy) {
    if (by_turns() && busy > Time::zero()) return occupy(fiber, phase, busy, true);
    if (phase != 0) {
        fiber.busy_until = clock_.now();
        return Outcome::done;
    }
    if (!starts(fiber, busy > Time::zero())) return Outcome::blocked;
    phase = 1;
    const Time alone = busy;
    busy = prolonged(fiber.rank, by_cpu_ ? cpu_of(fiber) : 0, clock_.now(), busy);
    if (busy == Time::zero()) return Outcome::done;
    if (logs()) {
        events_->begin_compute(fiber.index, clock_.now(), busy, busy - alone);
        if (!cpus_.crowded(hosts_[fiber.rank]))
            events_->end_compute(fiber.index, fiber.rank, clock_.now() + busy);
    }
    cpus_.compute(fiber.index, hosts_[fiber.rank], busy);
    return Outcome::blocked;
}

} // namespace orrery
