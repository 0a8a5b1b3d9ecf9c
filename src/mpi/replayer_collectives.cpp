// Replayer, part 4 of 4: collectives, step by step.
#include "mpi/replayer.h"

#include "engine/error.h"
#include "workload/collectives/algorithms.h"

#include <fmt/format.h>
#include <utility>

namespace orrery {

std::uint32_t Replayer::start_collective(Strand& strand, Membership& member, CollectiveCall call,
                                         bool nonblocking, std::uint64_t line) {
    call.node_of = communicators_.nodes(member.index, hosts_);
    const std::uint32_t number = member.calls++;
    const Communicators::Call entry{call.operation, has_root(call.operation) ? call.root : 0, 0, strand.rank,
                                    line};
    if (const Communicators::Call* const other = communicators_.enter(member.index, number, entry)) {
        const auto words = [this](const Communicators::Call& each) {
            const std::string root =
                has_root(each.operation) ? fmt::format(" from root {}", each.root) : std::string();
            return fmt::format("rank {} calls {}{} at {}", each.rank, name_of(each.operation), root,
                               place(each.rank, each.line));
        };
        throw SimulationError(fmt::format("the ranks of a communicator call different collectives: {}, but {}, "
                                          "each as its collective number {} there",
                                          words(entry), words(*other), number + 1));
    }
    std::uint32_t index = 0;
    if (free_runs_.empty()) {
        index = static_cast<std::uint32_t>(runs_.size());
        runs_.emplace_back();
    } else {
        index = free_runs_.back();
        free_runs_.pop_back();
    }
    CollectiveRun& run = runs_[index];
    const Choice choice =
        nonblocking ? options_.collectives.choose_nonblocking(call) : options_.collectives.choose(call);
    run.steps = choice.run(call);
    run.step = nullptr;
    run.communicator = member.index;
    run.tag = number;
    run.line = static_cast<std::uint32_t>(line);
    run.requests.clear();
    return index;
}

Replayer::Outcome Replayer::perform_collective(Strand& strand, RankReplay& rank, const Action& action) {
    if (strand.phase == 1) { // the algorithm is over: what the reduction costs beside it
        strand.phase = 2;
        if (action.volume <= 0) return Outcome::done;
        account(rank, CallKind::collective);
        return compute(strand, action.volume);
    }
    if (strand.phase == 2) {
        account(rank, CallKind::compute);
        return Outcome::done;
    }
    Membership& member = membership(rank, action);
    CollectiveCall call;
    if (const auto fault =
            make_call(action, counts(strand, action), member, communicators_.size(member.index), call))
        fail(strand.rank, action, *fault);
    if (action.nonblocking) {
        spawn(rank, action, member, call);
        return Outcome::done;
    }
    strand.phase = 1;
    strand.run = start_collective(strand, member, call, false, action.line);
    return Outcome::again;
}

// A nonblocking collective: a strand of its own, which the rank waits for like for a message.
void Replayer::spawn(RankReplay& rank, const Action& action, Membership& member, CollectiveCall call) {
    std::uint32_t index = 0;
    if (free_strands_.empty()) {
        index = static_cast<std::uint32_t>(strands_.size());
        strands_.emplace_back();
    } else {
        index = free_strands_.back();
        free_strands_.pop_back();
    }
    Strand& strand = strands_[index];
    strand = Strand{};
    strand.index = index;
    strand.rank = static_cast<std::uint32_t>(&rank - ranks_.data());
    strand.volume = action.volume;
    strand.done = messenger_.activity(strand.rank);
    slot(rank, action.request) = strand.done;
    KeptCall kept; // moves in with the run: the trace's window may pass before the collective ends
    keep(call, member, kept);
    strand.run = start_collective(strand, member, call, true, action.line);
    runs_[strand.run].kept = std::move(kept);
    clock_.go_on(index);
}

// Performs steps until the strand must wait or the algorithm is over.
Replayer::Outcome Replayer::advance_collective(Strand& strand) {
    CollectiveRun& run = runs_[strand.run];
    for (;;) {
        if (run.step == nullptr) {
            run.step = run.steps.next();
            strand.step_phase = 0;
            if (run.step == nullptr) break;
        }
        if (perform_step(strand, run, *run.step) == Outcome::blocked) return Outcome::blocked;
        run.step = nullptr;
    }
    if (!run.requests.empty()) throw SimulationError("a collective algorithm ended before its messages did");
    run.steps = Steps();
    run.kept = {};
    free_runs_.push_back(strand.run);
    strand.run = nobody;
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_step(Strand& strand, CollectiveRun& run, const Step& step) {
    const std::uint32_t context = Communicators::collectives_context(run.communicator);
    const auto outgoing = [&]() -> Messenger::Message {
        return {strand.rank,     communicators_.member(run.communicator, step.peer),
                context,         run.tag,
                step.from.bytes, run.line};
    };
    const auto incoming = [&](std::uint32_t source) -> Messenger::Message {
        return {communicators_.member(run.communicator, source),
                strand.rank,
                context,
                run.tag,
                step.to.bytes,
                run.line};
    };
    switch (step.kind) {
    case Step::Kind::send: return send(strand, strand.step_phase, outgoing(), true, false, nullptr);
    case Step::Kind::recv: return receive(strand, strand.step_phase, incoming(step.peer));
    case Step::Kind::isend: {
        RequestId id = no_request;
        const Outcome outcome = send(strand, strand.step_phase, outgoing(), false, false, &id);
        if (outcome == Outcome::done) run.requests.emplace_back(step.request, id);
        return outcome;
    }
    case Step::Kind::irecv: {
        const RequestId id = messenger_.recv(incoming(step.peer));
        drain();
        run.requests.emplace_back(step.request, id);
        return Outcome::done;
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
        if (strand.step_phase != 0 || per_byte == 0) return Outcome::done;
        strand.step_phase = 1;
        return sleep_until(strand,
                           clock_.now() + Time::from_ps(static_cast<double>(step.from.bytes) * per_byte));
    }
    }
    return Outcome::done;
}

// A nonblocking collective's strand has nothing left to do.
void Replayer::end_strand(Strand& strand) {
    if (strand.volume > 0) {
        const double volume = std::exchange(strand.volume, 0);
        if (compute(strand, volume) == Outcome::blocked) return;
    }
    strand.mode = Strand::Mode::over;
    messenger_.finish(strand.done);
    drain();
    free_strands_.push_back(strand.index);
}

} // namespace orrery
