// RankEngine, part 3 of 6: collectives, step by step.
#include "protocol/rank_engine.h"

#include "engine/error.h"

#include <fmt/format.h>
#include <utility>

namespace orrery {

std::uint32_t RankEngine::start_collective(Strand& strand, Membership& member, CollectiveCall call,
                                           bool nonblocking, std::uint64_t line, Steps steps) {
    call.node_of = communicators_.nodes(member.index, hosts_);
    const std::uint32_t number = member.calls++;
    const Communicators::Call entry{call.operation,
                                    has_root(call.operation) ? call.root : 0,
                                    0,
                                    strand.rank,
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

void RankEngine::attach(CollectiveRun& run, const Strand& strand) {
    (void)run;
    (void)strand;
}

void RankEngine::end_collective(CollectiveRun& run) { (void)run; }

std::string RankEngine::collective_words(const Communicators::Call& /*call*/) const { return {}; }

// A nonblocking collective: a strand of its own, which the rank waits for like for a message.
Strand& RankEngine::spawn(std::uint32_t rank, Membership& member, CollectiveCall call, std::uint64_t line,
                          Time computed_after, Steps steps) {
    const std::uint32_t index = strands_.add();
    Strand& strand = strands_[index];
    strand.index = index;
    strand.rank = rank;
    strand.computed_after = computed_after;
    strand.done = messenger_.activity(strand.rank);
    KeptCall kept; // moves in with the run: the trace's window may pass before the collective ends
    keep(call, member, kept);
    strand.run = start_collective(strand, member, call, true, line, std::move(steps));
    runs_[strand.run].kept = std::move(kept);
    if (logs()) events_->spawned(index, rank);
    if (by_turns()) {
        messenger_.use_second_cpu(rank);
        strand.turn = clock_.draw();
        resume_at(strand, later(clock_.now(), processors_.cpu_free(rank, cpu_of(strand))));
    } else {
        strand.turn = ++spawned_;
        strand.busy_until = clock_.now();
        clock_.go_on(index);
    }
    return strand;
}

// Performs steps until the strand must wait or the algorithm is over.
RankEngine::Outcome RankEngine::advance_collective(Strand& strand) {
    CollectiveRun& run = runs_[strand.run];
    for (;;) {
        if (run.step == nullptr) {
            run.step = run.steps.next();
            strand.step_phase = 0;
            if (run.step == nullptr) break;
            count_message(strand, run);
            if (run.data != nullptr) attach(run, strand);
        }
        if (perform_step(strand, run, *run.step) == Outcome::blocked) return Outcome::blocked;
        run.step = nullptr;
    }
    if (!run.requests.empty()) throw SimulationError("a collective algorithm ended before its messages did");
    collective_counts_.took(run.row, clock_.now() - run.began);
    if (run.data != nullptr) end_collective(run);
    run.steps = Steps();
    run.kept = {};
    run.data = nullptr;
    runs_.remove(strand.run);
    strand.run = nobody;
    return Outcome::done;
}

// Of the step that it is about to perform.
void RankEngine::count_message(const Strand& strand, const CollectiveRun& run) {
    const Step& step = *run.step;
    const bool exchange = step.kind == Step::Kind::sendrecv;
    if (step.kind != Step::Kind::send && step.kind != Step::Kind::isend && !exchange) return;
    const auto is_own = [&](std::uint32_t rank) {
        return communicators_.member(run.communicator, rank) == strand.rank;
    };
    if (exchange && is_own(step.peer) && is_own(step.source)) return; // a copy
    collective_counts_.sent(run.row, step.from.bytes);
}

RankEngine::Outcome RankEngine::perform_step(Strand& strand, CollectiveRun& run, const Step& step) {
    const std::uint32_t context = Communicators::collectives_context(run.communicator);
    const auto outgoing = [&]() -> Messenger::Message {
        return {strand.rank,     communicators_.member(run.communicator, step.peer), context, run.tag,
                step.from.bytes, run.data == nullptr ? run.line : run.outgoing};
    };
    const auto incoming = [&](std::uint32_t source) -> Messenger::Message {
        return {communicators_.member(run.communicator, source), strand.rank, context, run.tag, step.to.bytes,
                run.data == nullptr ? run.line : run.incoming};
    };
    switch (step.kind) {
    case Step::Kind::send: return send(strand, strand.step_phase, outgoing(), true, false, nullptr);
    case Step::Kind::recv: return receive(strand, strand.step_phase, incoming(step.peer));
    case Step::Kind::isend: {
        RequestId id = no_request;
        const Outcome outcome = send(strand, strand.step_phase, outgoing(), false, false, &id);
        if (id != no_request) run.requests.emplace_back(step.request, id);
        return outcome;
    }
    case Step::Kind::irecv: {
        RequestId id = no_request;
        const Outcome outcome = post_receive(strand, strand.step_phase, incoming(step.peer), &id);
        if (id != no_request) run.requests.emplace_back(step.request, id);
        return outcome;
    }
    case Step::Kind::sendrecv: return exchange(strand, strand.step_phase, outgoing(), incoming(step.source));
    case Step::Kind::wait:
    case Step::Kind::wait_all: {
        if (strand.step_phase != 0) return Outcome::done;
        strand.step_phase = 1;
        begin_wait(strand);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < run.requests.size(); ++i) {
            const auto each = run.requests[i];
            if (step.kind == Step::Kind::wait_all || each.first == step.request) {
                add_wait(strand, each.second);
            } else {
                run.requests[kept++] = each;
            }
        }
        run.requests.resize(kept);
        return end_wait(strand);
    }
    case Step::Kind::copy:
    case Step::Kind::reduce:
    case Step::Kind::reduce_after: {
        const EndpointParameters& endpoint = options_.endpoint;
        const double per_byte =
            step.kind == Step::Kind::copy ? endpoint.copy_per_byte : endpoint.reduction_per_byte;
        if (strand.step_phase != 0) strand.busy_until = clock_.now();
        if (strand.step_phase != 0 || per_byte == 0) return Outcome::done;
        const Time busy = Time::from_ps(static_cast<double>(step.from.bytes) * per_byte,
                                        "the work of a collective on its data");
        if (by_turns()) return occupy(strand, strand.step_phase, busy);
        if (!starts(strand, busy > Time::zero())) return Outcome::blocked;
        strand.step_phase = 1;
        return work(strand, busy, EventKind::compute);
    }
    }
    return Outcome::done;
}

// A nonblocking collective's strand has nothing left to do.
void RankEngine::end_strand(Strand& strand) {
    if (strand.computed_after > Time::zero()) {
        if (compute(strand, strand.phase, strand.computed_after) == Outcome::blocked) return;
        strand.computed_after = Time::zero();
    }
    if (by_turns() && !acquire(strand, Processors::Use::compute)) return;
    if (!starts(strand, false)) return;
    strand.mode = Strand::Mode::over;
    messenger_.finish(strand.done);
    drain();
    strands_.remove(strand.index);
}

} // namespace orrery
