// RankEngine, part 3 of 6: collectives, step by step.
#include "protocol/rank_engine.h"

#include "engine/error.h"

#include <fmt/format.h>
#include <utility>

namespace orrery {

std::uint32_t RankEngine::start_collective(Fiber& fiber, Membership& member, CollectiveCall call,
                                           bool nonblocking, std::uint64_t line, Steps steps) {
    call.node_of = communicators_.nodes(member.index, hosts_);
    const std::uint32_t number = member.calls++;
    const Communicators::Call entry{call.operation,
                                    has_root(call.operation) ? call.root : 0,
                                    0,
                                    fiber.rank,
                                    line,
                                    call.bytes,
                                    call.reduction,
                                    call.basic,
                                    call.same_bytes};
    if (const Communicators::Call* const other = communicators_.enter(member.index, number, entry)) {
        const auto words = [this](const Communicators::Call& each) {
            const std::string root =
                has_root(each.operation) ? fmt::format(" from root {}", each.root) : std::string();
            const std::string where = place(each.rank, each.line);
            return fmt::format("rank {} calls {}{}{}{}", each.rank, name_of(each.operation), root,
                               collective_words(each), where.empty() ? "" : " at " + where);
        };
        const bool same = entry.operation == other->operation && entry.root == other->root;
        throw SimulationError(
            fmt::format("the ranks of a communicator {}: {}, but {}, each as its collective number {} "
                        "there",
                        same ? "give a collective different data" : "call different collectives", words(entry),
                        words(*other), number + 1));
    }
    const std::uint32_t index = runs_.add_as_left();
    CollectiveRun& run = runs_[index];
    Choice choice;
    if (!steps) {
        choice =
            nonblocking ? options_.collectives.choose_nonblocking(call) : options_.collectives.choose(call);
        steps = choice.run(call);
    }
    run.row = collective_counts_.count(call, nonblocking, choice);
    run.began = clock_.now();
    run.steps = std::move(steps);
    run.step = nullptr;
    run.communicator = member.index;
    run.tag = number;
    run.line = static_cast<std::uint32_t>(line);
    run.requests.clear();
    return index;
}

void RankEngine::attach(CollectiveRun& run, const Fiber& fiber) {
    (void)run;
    (void)fiber;
}

void RankEngine::end_collective(CollectiveRun& run) { (void)run; }

std::string RankEngine::collective_words(const Communicators::Call& /*call*/) const { return {}; }

// A nonblocking collective: a fiber of its own, which the rank waits for like for a message.
Fiber& RankEngine::spawn(std::uint32_t rank, Membership& member, CollectiveCall call, std::uint64_t line,
                         Time computed_after, Steps steps) {
    const std::uint32_t index = fibers_.add();
    Fiber& fiber = fibers_[index];
    fiber.index = index;
    fiber.rank = rank;
    fiber.computed_after = computed_after;
    fiber.done = messenger_.activity(fiber.rank);
    KeptCall kept; // moves in with the run: the trace's window may pass before the collective ends
    keep(call, member, kept);
    fiber.run = start_collective(fiber, member, call, true, line, std::move(steps));
    runs_[fiber.run].kept = std::move(kept);
    if (logs()) events_->spawned(index, rank);
    if (by_turns()) {
        messenger_.use_second_cpu(rank);
        fiber.turn = clock_.draw();
        resume_at(fiber, later(clock_.now(), processors_.cpu_free(rank, cpu_of(fiber))));
    } else {
        fiber.turn = ++spawned_;
        fiber.busy_until = clock_.now();
        clock_.go_on(index);
    }
    return fiber;
}

// Performs steps until the fiber must wait or the algorithm is over.
RankEngine::Outcome RankEngine::advance_collective(Fiber& fiber) {
    CollectiveRun& run = runs_[fiber.run];
    for (;;) {
        if (run.step == nullptr) {
            run.step = run.steps.next();
            fiber.step_phase = 0;
            if (run.step == nullptr) break;
            count_message(fiber, run);
            if (run.data != nullptr) attach(run, fiber);
        }
        if (perform_step(fiber, run, *run.step) == Outcome::blocked) return Outcome::blocked;
        run.step = nullptr;
    }
    if (!run.requests.empty()) throw SimulationError("a collective algorithm ended before its messages did");
    collective_counts_.took(run.row, clock_.now() - run.began);
    if (run.data != nullptr) end_collective(run);
    run.steps = Steps();
    run.kept = {};
    run.data = nullptr;
    runs_.remove(fiber.run);
    fiber.run = nobody;
    return Outcome::done;
}

// Of the step that it is about to perform.
void RankEngine::count_message(const Fiber& fiber, const CollectiveRun& run) {
    const Step& step = *run.step;
    const bool exchange = step.kind == Step::Kind::sendrecv;
    if (step.kind != Step::Kind::send && step.kind != Step::Kind::isend && !exchange) return;
    const auto is_own = [&](std::uint32_t rank) {
        return communicators_.member(run.communicator, rank) == fiber.rank;
    };
    if (exchange && is_own(step.peer) && is_own(step.source)) return; // a copy
    collective_counts_.sent(run.row, step.from.bytes);
}

RankEngine::Outcome RankEngine::perform_step(Fiber& fiber, CollectiveRun& run, const Step& step) {
    const std::uint32_t context = Communicators::collectives_context(run.communicator);
    const auto outgoing = [&]() -> Messenger::Message {
        return {fiber.rank,      communicators_.member(run.communicator, step.peer), context, run.tag,
                step.from.bytes, run.data == nullptr ? run.line : run.outgoing};
    };
    const auto incoming = [&](std::uint32_t source) -> Messenger::Message {
        return {communicators_.member(run.communicator, source), fiber.rank, context, run.tag, step.to.bytes,
                run.data == nullptr ? run.line : run.incoming};
    };
    switch (step.kind) {
    case Step::Kind::send: return send(fiber, fiber.step_phase, outgoing(), true, false, nullptr);
    case Step::Kind::recv: return receive(fiber, fiber.step_phase, incoming(step.peer));
    case Step::Kind::isend: {
        RequestId id = no_request;
        const Outcome outcome = send(fiber, fiber.step_phase, outgoing(), false, false, &id);
        if (id != no_request) run.requests.emplace_back(step.request, id);
        return outcome;
    }
    case Step::Kind::irecv: {
        RequestId id = no_request;
        const Outcome outcome = post_receive(fiber, fiber.step_phase, incoming(step.peer), &id);
        if (id != no_request) run.requests.emplace_back(step.request, id);
        return outcome;
    }
    case Step::Kind::sendrecv: return exchange(fiber, fiber.step_phase, outgoing(), incoming(step.source));
    case Step::Kind::wait:
    case Step::Kind::wait_all: {
        if (fiber.step_phase != 0) return Outcome::done;
        fiber.step_phase = 1;
        begin_wait(fiber);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < run.requests.size(); ++i) {
            const auto each = run.requests[i];
            if (step.kind == Step::Kind::wait_all || each.first == step.request) {
                add_wait(fiber, each.second);
            } else {
                run.requests[kept++] = each;
            }
        }
        run.requests.resize(kept);
        return end_wait(fiber);
    }
    case Step::Kind::copy:
    case Step::Kind::reduce:
    case Step::Kind::reduce_after: {
        const EndpointParameters& endpoint = options_.endpoint;
        const double per_byte =
            step.kind == Step::Kind::copy ? endpoint.copy_per_byte : endpoint.reduction_per_byte;
        if (fiber.step_phase != 0) fiber.busy_until = clock_.now();
        if (fiber.step_phase != 0 || per_byte == 0) return Outcome::done;
        const Time busy = Time::from_ps(static_cast<double>(step.from.bytes) * per_byte,
                                        "the work of a collective on its data");
        if (by_turns()) return occupy(fiber, fiber.step_phase, busy);
        if (!starts(fiber, busy > Time::zero())) return Outcome::blocked;
        fiber.step_phase = 1;
        return work(fiber, busy, EventKind::compute);
    }
    }
    return Outcome::done;
}

// A nonblocking collective's fiber has nothing left to do.
void RankEngine::end_fiber(Fiber& fiber) {
    if (fiber.computed_after > Time::zero()) {
        if (compute(fiber, fiber.phase, fiber.computed_after) == Outcome::blocked) return;
        fiber.computed_after = Time::zero();
    }
    if (by_turns() && !acquire(fiber, Processors::Use::compute)) return;
    if (!starts(fiber, false)) return;
    fiber.mode = Fiber::Mode::over;
    messenger_.finish(fiber.done);
    drain();
    fibers_.remove(fiber.index);
}

} // namespace orrery
