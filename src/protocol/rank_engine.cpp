// RankEngine, part 1 of 6: the loop and waiting.
#include "protocol/rank_engine.h"

#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/sums.h"
#include "engine/units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace orrery {

RankEngine::RankEngine(const Platform& platform, Network& network, const ReplayOptions& options,
                       std::vector<HostId> hosts, Payloads* payloads, Receiving receiving, std::uint32_t cpus)
    : platform_(platform), network_(network), options_(options), hosts_(std::move(hosts)),
      cpus_(platform, hosts_, clock_), processors_(clock_), rank_cpus_(hosts_.size(), cpus),
      by_cpu_(receiving == Receiving::by_cpu && !options.endpoint.interfaces),
      messenger_(options.endpoint, network, clock_, hosts_, options.observer, payloads),
      windows_(options.endpoint, messenger_, communicators_), ranks_(hosts_.size()),
      probers_(hosts_.size(), nobody), unfinished_(static_cast<std::uint32_t>(hosts_.size())),
      collective_counts_(options.collectives) {
    messenger_.let_driver_take(by_cpu_);
    if (options.events != nullptr) {
        events_ = std::make_unique<EventWriter>(*options.events, hosts_, options.endpoint.envelope,
                                                std::max(cpus, Processors::cpus));
        messenger_.use(events_.get());
    }
    if (by_turns()) {
        processors_.set_ranks(hosts_.size());
        messenger_.use(processors_, options.noise);
        clock_.use_turns();
    }
    for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) {
        Fiber& fiber = fibers_[fibers_.add()];
        fiber.index = fiber.rank = rank;
    }
}

void RankEngine::start(std::uint32_t rank, Time at) {
    ranks_[rank].accounted = at;
    if (logs()) events_->starts(rank, rank, at);
    if (by_turns()) {
        for (std::uint32_t cpu = 0; cpu < Processors::cpus; ++cpu) processors_.occupy(rank, cpu, at);
        fibers_[rank].turn = clock_.draw();
        resume_at(fibers_[rank], at);
    } else if (at == Time::zero()) {
        clock_.go_on(rank);
    } else {
        clock_.at(at, Clock::Kind::resume, rank);
    }
}

void RankEngine::run_to_end() {
    constexpr std::array<std::size_t, 3> stages = {8, 4, 2}; // of prepare(): so many turns before

    for (;;) {
        std::uint32_t fiber = 0;
        while (clock_.take_ready(fiber)) {
            std::uint32_t other = 0;
            for (unsigned int stage = 0; stage < stages.size(); ++stage)
                if (clock_.soon_ready(stages[stage], other) && other < ranks_.size()) prepare(other, stage);
            go(fiber);
        }
        if (interrupt_requested() != 0) [[unlikely]]
            interrupted();
        const Time event = clock_.next_event();
        if (event > clock_.now() && (!rank_cpus_.settled() || messenger_.departing())) {
            settle();
            continue;
        }
        const Time network = network_.next_until(event);
        if (event == Time::max() && network == Time::max()) {
            if (!messenger_.settle_forgotten()) break;
            drain();
            continue;
        }
        if (std::min(event, network) > stop_at_) {
            clock_.move_to(stop_at_);
            stopped_ = true;
            return;
        }
        if (event <= network) {
            const Clock::Due due = clock_.pop();
            if (due.kind == Clock::Kind::resume) {
                for (unsigned int stage = 0; stage < stages.size(); ++stage)
                    if (clock_.soon_due(stages[stage], fiber) && fiber < ranks_.size()) prepare(fiber, stage);
                if (due.detail == 0) {
                    go(due.ref);
                    continue;
                }
            }
            dispatch(due);
        } else {
            clock_.move_to(network);
            arrived_.clear();
            network_.advance(network, arrived_);
            messenger_.arrive(arrived_);
            drain();
            tell_probers();
            if (!messenger_.transferred().empty()) on_transferred();
        }
    }
    for (std::uint32_t rank = 0; by_turns() && rank < ranks_.size(); ++rank) {
        Time& finish = ranks_[rank].finish; // its CPUs may have taken messages since
        for (std::uint32_t cpu = 0; cpu < Processors::cpus; ++cpu)
            finish = later(finish, processors_.cpu_free(rank, cpu));
    }
    for (std::uint32_t rank = 0; logs() && rank < ranks_.size(); ++rank)
        events_->finished(rank, rank, ranks_[rank].finish);
    check_ended();
}

void RankEngine::check_ended() {
    if (unfinished_ > 0 || (unreceived_is_error_ && !messenger_.all_received())) explain_deadlock();
}

void RankEngine::interrupted() {
    throw_interrupted(fmt::format("after {} of simulated time and {} actions, before {} of {} ranks had "
                                  "ended{}; no result is kept",
                                  format_time(clock_.now()), format_count(actions_), unfinished_, ranks_.size(),
                                  last_words()));
}

void RankEngine::dispatch(const Clock::Due& due) {
    switch (due.kind) {
    case Clock::Kind::resume:
        if (due.detail != 0) return end_pause(due);
        return go(due.ref);
    case Clock::Kind::start_transfer: return messenger_.start_transfer(due.ref);
    case Clock::Kind::cpu:
        cpus_.advance(due.ref);
        for (const std::uint32_t fiber : cpus_.ended()) end_computation(fiber);
        return cpus_.ended().clear();
    case Clock::Kind::taken: return end_take(due.ref);
    case Clock::Kind::told: {
        const Request& received = messenger_.request(messenger_.request(due.ref).partner);
        if (logs())
            events_->told(due.ref, messenger_.request(due.ref).rank, received.rank, taking_cpu(received),
                          clock_.now());
        messenger_.told(due.ref);
        return drain();
    }
    case Clock::Kind::operation: return end_operation(due.ref);
    case Clock::Kind::arrival:
        messenger_.arrive(due);
        drain();
        return tell_probers();
    case Clock::Kind::answer: messenger_.answer(due); return drain();
    case Clock::Kind::wake: {
        Clock::Due next;
        if (!processors_.wake(due, next)) return;
        waking_ = true; // who waits behind it has no event yet
        dispatch(next);
        waking_ = false;
        return processors_.go_on(due);
    }
    }
}

// Nothing else happens before: the fiber need not be left.
bool RankEngine::passes(Time end) {
    return end <= stop_at_ && rank_cpus_.settled() && !messenger_.departing() &&
           clock_.undisturbed_until(end) && network_.next_until(end) >= end && clock_.pass_to(end);
}

// Performs what the fiber has to do until it must wait.
void RankEngine::go(std::uint32_t index) {
    Fiber& fiber = fibers_[index];
    fiber.mode = Fiber::Mode::going;
    fiber.running = fiber.turn;
    if (logs()) events_->runs(index, fiber.rank);
    if ((fiber.cpu & Fiber::occupies) != 0) {
        fiber.cpu = 0;
        RankCpu& cpu = rank_cpus_.at(fiber.rank, cpu_of(fiber));
        cpu.occupied = false;
        if (logs()) events_->occupied(index, fiber.rank, cpu.number);
        rank_cpus_.unsettle(cpu);
    }
    if (fiber.run != nobody && advance_collective(fiber) == Outcome::blocked) return;
    if (index < ranks_.size()) return go_on(fiber);
    end_fiber(fiber);
}

void RankEngine::prepare(std::uint32_t /*rank*/, unsigned int /*stage*/) {}

void RankEngine::finish_rank(std::uint32_t index) {
    RankProgress& rank = ranks_[index];
    rank.finished = true;
    rank.finish = clock_.now();
    fibers_[index].mode = Fiber::Mode::over;
    take_messages(index);
    --unfinished_;
}

void RankEngine::account(std::uint32_t index, CallKind kind) {
    RankProgress& rank = ranks_[index];
    rank.times[kind] += clock_.now() - rank.accounted;
    rank.accounted = clock_.now();
}

[[gnu::flatten]] void RankEngine::drain() {
    std::vector<RequestId>& completed = messenger_.completed();
    for (std::size_t i = 0; i < completed.size(); ++i) on_complete(completed[i]);
    completed.clear();
    for (const RequestId request : messenger_.to_take()) {
        const Request& each = messenger_.request(request);
        RankCpu& cpu = rank_cpus_.at(each.rank, taking_cpu(each));
        RankCpu::add(cpu.messages, {clock_.now(), each.turn, request});
        rank_cpus_.unsettle(cpu);
    }
    messenger_.to_take().clear();
}

// A request that a fiber waits for has completed.
void RankEngine::on_complete(RequestId id) {
    Request& request = messenger_.request(id);
    Fiber& fiber = fibers_[request.waiter];
    if (fiber.mode == Fiber::Mode::waiting_any) { // it finds out which one itself
        if (logs()) events_->done_for(fiber.index, id);
        return resume(fiber);
    }
    if (fiber.mode != Fiber::Mode::waiting) return; // another one let it go on at this same instant
    if (by_turns()) {
        add_completion(fiber, id, messenger_.done(request));
        fiber.busy_until = later(fiber.busy_until, messenger_.done(request));
        fiber.turn = std::max(fiber.turn, request.turn);
        messenger_.release(id);
        if (--fiber.outstanding == 0) resume(fiber);
        return;
    }
    const Time begin = by_cpu_ ? clock_.now() : taking_until(fiber.rank);
    add_completion(fiber, id, begin);
    fiber.busy_until = sum_up_to_longest(later(fiber.busy_until, begin), messenger_.completion_cost(request));
    messenger_.release(id);
    if (--fiber.outstanding == 0) resume(fiber);
}

void RankEngine::resume(Fiber& fiber) {
    if (fiber.mode == Fiber::Mode::going) return; // somebody else resumed it at this instant
    Time at = fiber.mode == Fiber::Mode::waiting ? fiber.busy_until : clock_.now();
    const bool takes_turns = by_cpu_ && cpu_of(fiber) != 0; // there: its next operation waits
    if (!takes_turns) {
        const Time taken = taking_until(fiber.rank); // nothing interrupts it
        if (logs() && taken > at) events_->fetched_for(fiber.index, fiber.rank);
        at = later(at, taken);
    }
    if (by_turns()) {
        if (fiber.mode != Fiber::Mode::waiting) fiber.turn = clock_.draw();
        return resume_at(fiber, later(at, processors_.cpu_free(fiber.rank, cpu_of(fiber))));
    }
    fiber.mode = Fiber::Mode::going;
    if (at <= clock_.now()) {
        clock_.go_on(fiber.index);
    } else {
        clock_.at(at, Clock::Kind::resume, fiber.index);
    }
}

void RankEngine::resume_at(Fiber& fiber, Time at) {
    fiber.mode = Fiber::Mode::going;
    if (logs()) events_->goes_on_at(fiber.index, fiber.rank, cpu_of(fiber), later(at, clock_.now()));
    clock_.at({later(at, clock_.now()), fiber.turn, fiber.rank, 0, 0, fiber.index, Clock::Kind::resume});
}

void RankEngine::begin_wait(Fiber& fiber) {
    fiber.outstanding = 0;
    if (!by_cpu_ || cpu_of(fiber) == 0) fiber.busy_until = clock_.now();
}

void RankEngine::add_wait(Fiber& fiber, RequestId id) {
    Request& request = messenger_.request(id);
    if (request.is(Request::complete)) {
        const Time done =
            by_cpu_ ? Time::ticks(static_cast<std::int64_t>(request.turn)) : messenger_.done(request);
        if (!by_cpu_) add_completion(fiber, id, done); // otherwise nothing waits
        fiber.busy_until =
            sum_up_to_longest(later(fiber.busy_until, done), messenger_.completion_cost(request));
        if (by_turns()) fiber.turn = std::max(fiber.turn, request.turn);
        messenger_.release(id);
    } else {
        request.waiter = fiber.index;
        ++fiber.outstanding;
    }
}

RankEngine::Outcome RankEngine::end_wait(Fiber& fiber) {
    if (fiber.outstanding == 0 && by_turns()) {
        if (fiber.busy_until <= clock_.now() && fiber.turn == fiber.running) return Outcome::done;
        return pass_to(fiber, fiber.busy_until);
    }
    if (fiber.outstanding == 0) return sleep_until(fiber, fiber.busy_until);
    fiber.mode = Fiber::Mode::waiting;
    take_messages(fiber.rank);
    return Outcome::blocked;
}

RankEngine::Outcome RankEngine::sleep_until(Fiber& fiber, Time time) {
    if (time <= clock_.now()) return Outcome::done;
    if (by_turns()) {
        fiber.turn = clock_.draw();
        resume_at(fiber, time);
        return Outcome::blocked;
    }
    clock_.at(time, Clock::Kind::resume, fiber.index);
    return Outcome::blocked;
}

RankEngine::Outcome RankEngine::sleep_until_done(Fiber& fiber, RequestId id) {
    if (logs() && known_end(id) > clock_.now()) events_->done_for(fiber.index, id);
    return sleep_until(fiber, known_end(id));
}

void RankEngine::let_go_on(Fiber& fiber) {
    const bool waits = fiber.mode != Fiber::Mode::going && fiber.mode != Fiber::Mode::waiting;
    if (logs() && waits) events_->let_go_on(fiber.index, fiber.rank);
    resume(fiber);
}

void RankEngine::log_completion(const Fiber& fiber, RequestId id, Time at) {
    const Request& request = messenger_.request(id);
    const EventKind kind = request.kind == Request::Kind::send ? EventKind::send : EventKind::receive;
    events_->completes(fiber.index, fiber.rank, id, at, fiber.busy_until, kind,
                       messenger_.completion_cost(request), request.bytes, request.peer);
}

RankEngine::Outcome RankEngine::pause_in_call(Fiber& fiber, Time until) {
    if (by_turns() || until <= clock_.now()) {
        if (spend(fiber, until, EventKind::idle) == Outcome::done) return Outcome::done;
    } else {
        if (logs()) events_->passes(fiber.index, fiber.rank, EventKind::idle, clock_.now(), until, 0, 0);
        plan_end_of_pause(fiber, until);
    }
    fiber.mode = Fiber::Mode::pausing;
    take_messages(fiber.rank);
    return Outcome::blocked;
}

void RankEngine::plan_end_of_pause(Fiber& fiber, Time until) {
    if (++fiber.timed_wait == 0) fiber.timed_wait = 1;
    clock_.at_end_of_timed_wait(until, fiber.timed_wait, fiber.index, fiber.rank);
}

// Of a timed wait, or of a pause in a call, unless it has ended before. Nothing interrupts its CPU.
void RankEngine::end_pause(const Clock::Due& due) {
    Fiber& fiber = fibers_[due.ref];
    const bool waits = fiber.mode == Fiber::Mode::in_timed_wait;
    const bool paused = fiber.mode == Fiber::Mode::pausing && !by_turns();
    if ((!waits && !paused) || fiber.timed_wait != due.detail) return;
    if (waits && logs()) events_->timed_out(due.ref, fiber.rank, clock_.now());
    if (taking_until(fiber.rank) > clock_.now()) return resume(fiber);
    go(due.ref);
}

ReplayPrediction RankEngine::prediction() {
    ReplayPrediction result;
    Prediction& base = result.base;
    base.ranks.resize(ranks_.size());
    result.calls.resize(ranks_.size());
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        const RankProgress& each = ranks_[rank];
        base.ranks[rank].finish = each.finish;
        base.ranks[rank].compute = each.times[CallKind::compute];
        result.calls[rank] = each.times;
        if (each.finish > base.time) {
            base.time = each.finish;
            base.critical_rank = rank;
        }
    }
    base.operations = actions_;
    base.messages = messenger_.statistics().messages;
    base.bytes = messenger_.statistics().bytes;
    base.events = actions_ + base.messages;
    result.point_to_point = messenger_.statistics().point_to_point;
    result.point_to_point_bytes = messenger_.statistics().point_to_point_bytes;
    result.collectives = collective_counts_.profile();
    result.by_size = messenger_.statistics().by_size;
    result.core_wait_seconds = cpus_.waited_seconds();
    if (windows_.unperformed() > 0 && !stopped_) {
        result.notes.push_back(
            std::to_string(windows_.unperformed()) +
            " one-sided operations were never performed: a lock before them was never given");
    }
    if (messenger_.statistics().truncated > 0) {
        result.notes.push_back(std::to_string(messenger_.statistics().truncated) +
                               " receives name a smaller size than the message that they got");
    }
    return result;
}

} // namespace orrery
