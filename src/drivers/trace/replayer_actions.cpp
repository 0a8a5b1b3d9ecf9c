// Replayer, part 2 of 4: what each action of a trace does.
//
// Actions that may have to wait are written in phases: `phase` says how far the present one is, and the fiber
// comes back to it when it is resumed.
#include "drivers/trace/replayer.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

RequestId& Replayer::slot(TraceRank& rank, std::uint32_t number) {
    if (number >= rank.requests.size()) rank.requests.resize(number + 1, no_request);
    return rank.requests[number];
}

std::span<const Bytes> Replayer::counts(const Fiber& fiber, const Action& action) const {
    const std::uint32_t job = traces_[fiber.rank].job;
    return jobs_[job].actions->counts(RankId{fiber.rank - first_rank_[job]}, action);
}

Messenger::Message Replayer::message(const Fiber& fiber, const Action& action, std::uint32_t peer, Bytes bytes,
                                     bool outgoing) {
    TraceRank& rank = traces_[fiber.rank];
    const std::uint32_t other = peer_of(rank, action, peer);
    return {outgoing ? fiber.rank : other,
            outgoing ? other : fiber.rank,
            Communicators::messages_context(membership(rank, action).index),
            action.tag,
            bytes,
            static_cast<std::uint32_t>(action.line)};
}

Replayer::Outcome Replayer::perform_compute(Fiber& fiber, std::uint8_t& phase, double volume) {
    if (volume <= 0) return Outcome::done;
    if (phase != 0 && !by_turns()) { // it has ended, as in compute()
        fiber.busy_until = clock_.now();
        return Outcome::done;
    }
    return compute(fiber, phase, busy_time(fiber.rank, volume, jobs_[traces_[fiber.rank].job].rate));
}

Replayer::Outcome Replayer::perform(Fiber& fiber, const Action& action) {
    TraceRank& rank = traces_[fiber.rank];
    switch (action.kind) {
    case ActionKind::compute: return perform_compute(fiber, fiber.phase, action.volume);
    case ActionKind::sleep: return perform_pause(fiber, action);
    case ActionKind::send:
    case ActionKind::ssend:
        return send(fiber, fiber.phase, message(fiber, action, action.peer, action.bytes, true), true,
                    action.kind == ActionKind::ssend, nullptr);
    case ActionKind::isend:
    case ActionKind::issend:
        return send(fiber, fiber.phase, message(fiber, action, action.peer, action.bytes, true), false,
                    action.kind == ActionKind::issend, &slot(rank, action.request));
    case ActionKind::recv:
        return receive(fiber, fiber.phase, message(fiber, action, action.peer, action.bytes, false));
    case ActionKind::irecv: return perform_irecv(fiber, rank, action);
    case ActionKind::sendrecv:
        return exchange(fiber, fiber.phase, message(fiber, action, action.peer, action.bytes, true),
                        message(fiber, action, action.other, action.more_bytes, false));
    case ActionKind::probe: return perform_probe(fiber, action);
    case ActionKind::wait:
    case ActionKind::wait_all: return perform_wait(fiber, rank, action);
    case ActionKind::wait_any:
    case ActionKind::wait_some: return perform_choice(fiber, rank, action);
    case ActionKind::await: return perform_await(fiber, rank, action);
    case ActionKind::test: return perform_test(fiber, rank, action);
    case ActionKind::collective: return perform_collective(fiber, rank, action);
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::comm_create:
    case ActionKind::comm_free: return perform_communicator(fiber, rank, action);
    case ActionKind::forget: {
        RequestId& id = slot(rank, action.request);
        if (id != no_request) messenger_.release(id);
        id = no_request;
        return Outcome::done;
    }
    case ActionKind::cancel: {
        RequestId& id = slot(rank, action.request);
        if (id == no_request) return Outcome::done;
        if (messenger_.request(id).kind == Request::Kind::send) messenger_.cancel(id);
        messenger_.release(id);
        id = no_request;
        return Outcome::done;
    }
    case ActionKind::neighbours: perform_neighbours(fiber, rank, action); return Outcome::done;
    case ActionKind::one_sided:
    case ActionKind::window: return perform_window(fiber, rank, action);
    case ActionKind::aside: return perform_aside(fiber, rank, action);
    }
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_pause(Fiber& fiber, const Action& action) {
    const auto pause = static_cast<Pause>(action.other);
    const auto until = [&] { return clock_.now() + Time::from_ps(action.volume * 1e12, "a pause"); };
    if (fiber.phase == 0) {
        fiber.phase = 1;
        switch (pause) {
        case Pause::outside:
            if (by_turns()) {
                fiber.phase = 0;
                return occupy(fiber, fiber.phase, until() - clock_.now());
            }
            return spend(fiber, until(), EventKind::idle);
        case Pause::in_call: return pause_in_call(fiber, until());
        case Pause::timed_wait: {
            const auto most = static_cast<std::int64_t>(std::min<Bytes>(action.bytes, max_op_size));
            return timed_wait(fiber, clock_.now() + std::min(Time::ps(most), Time::longest())); // it is refused
        }
        case Pause::probe:
        case Pause::found:
            if (failed_probe(fiber) == Outcome::blocked) return Outcome::blocked;
        }
    }
    if (pause == Pause::timed_wait) probers_[fiber.rank] = nobody;
    if (pause == Pause::probe) ++failed_probes_;
    if (pause == Pause::found) failed_probes_ = 0;
    return Outcome::done;
}

// One of them is done, or will be: it stays.
Replayer::Outcome Replayer::perform_await(Fiber& fiber, TraceRank& rank, const Action& action) {
    const auto each_request = [&](const auto& visit) {
        for (const Bytes number : counts(fiber, action)) visit(slot(rank, static_cast<std::uint32_t>(number)));
    };
    if (fiber.phase == 0) {
        fiber.phase = 1;
        bool done = false;
        each_request([&](RequestId id) { done = done || id == no_request || is_done(id); });
        if (done) return Outcome::done;
        RequestId first = no_request;
        each_request([&](RequestId id) {
            if (first == no_request || known_end(id) < known_end(first)) first = id;
        });
        if (first != no_request && known_end(first) != Time::max()) return sleep_until_done(fiber, first);
        each_request([&](RequestId id) { messenger_.request(id).waiter = fiber.index; });
        fiber.mode = Fiber::Mode::waiting_any;
        take_messages(fiber.rank);
        return Outcome::blocked;
    }
    each_request([&](RequestId id) { messenger_.request(id).waiter = nobody; });
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_wait(Fiber& fiber, TraceRank& rank, const Action& action) {
    if (fiber.phase != 0) return Outcome::done;
    fiber.phase = 1;
    begin_wait(fiber);
    const auto add = [&](RequestId& id) {
        if (id != no_request) add_wait(fiber, id);
        id = no_request; // once waited for, it is the fiber's
    };
    if (action.kind == ActionKind::wait) {
        add(slot(rank, action.request));
    } else if (action.counts == 0) {
        for (RequestId& id : rank.requests) add(id);
    } else {
        for (const Bytes number : counts(fiber, action)) add(slot(rank, static_cast<std::uint32_t>(number)));
    }
    return end_wait(fiber);
}

// One of several requests: looks for one that is done, and otherwise sleeps until one is.
Replayer::Outcome Replayer::perform_choice(Fiber& fiber, TraceRank& rank, const Action& action) {
    if (fiber.phase == 2) return Outcome::done; // the overhead of what was taken is over
    std::vector<std::uint32_t> numbers;
    for (const Bytes number : counts(fiber, action)) numbers.push_back(static_cast<std::uint32_t>(number));
    if (action.counts == 0) {
        for (std::uint32_t number = 0; number < rank.requests.size(); ++number) numbers.push_back(number);
    }
    fiber.phase = 1;
    bool any = false;
    bool pending = false;
    begin_wait(fiber);
    Time by = clock_.now(); // those that are done now; if there is none, the first that will be
    Time first = Time::max();
    for (const std::uint32_t number : numbers) {
        const RequestId id = slot(rank, number);
        if (id != no_request) first = std::min(first, known_end(id));
    }
    if (first != Time::max()) by = later(by, first);
    for (const std::uint32_t number : numbers) {
        RequestId& id = slot(rank, number);
        if (id == no_request) continue;
        Request& request = messenger_.request(id);
        request.waiter = nobody;
        pending = true;
        if (!request.is(Request::complete) || (any && action.kind == ActionKind::wait_any)) continue;
        if (messenger_.done(request) > by) continue;
        any = true;
        add_wait(fiber, id);
        id = no_request;
    }
    if (any || !pending) {
        fiber.phase = 2;
        return end_wait(fiber);
    }
    for (const std::uint32_t number : numbers) {
        const RequestId id = slot(rank, number);
        if (id != no_request) messenger_.request(id).waiter = fiber.index;
    }
    fiber.mode = Fiber::Mode::waiting_any;
    take_messages(fiber.rank);
    return Outcome::blocked;
}

Replayer::Outcome Replayer::perform_test(Fiber& fiber, TraceRank& rank, const Action& action) {
    RequestId& id = slot(rank, action.request);
    if (fiber.phase == 2 || id == no_request) return Outcome::done;
    if (fiber.phase == 0) {
        fiber.phase = 1;
        if (failed_probe(fiber) == Outcome::blocked) return Outcome::blocked;
    }
    if (!is_done(id)) {
        ++failed_probes_;
        return Outcome::done;
    }
    failed_probes_ = 0;
    fiber.phase = 2;
    begin_wait(fiber);
    add_wait(fiber, id);
    id = no_request;
    return end_wait(fiber);
}

Replayer::Outcome Replayer::perform_probe(Fiber& fiber, const Action& action) {
    const Messenger::Message wanted = message(fiber, action, action.peer, 0, false);
    fiber.phase = 1;
    if (!messenger_.peek(wanted)) return await_message(fiber);
    probers_[fiber.rank] = nobody;
    if (action.other == 0) return Outcome::done;
    TraceRank& rank = traces_[fiber.rank];
    if (rank.taken == nullptr) rank.taken = std::make_unique<std::map<std::uint32_t, RequestId>>();
    if (!rank.taken->emplace(action.other, *messenger_.take(wanted)).second)
        fail(fiber.rank, action, fmt::format("takes another message as number {}", action.other - 1));
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_irecv(Fiber& fiber, TraceRank& rank, const Action& action) {
    Messenger::Message wanted = message(fiber, action, action.peer, action.bytes, false);
    if (action.other == 0) {
        return post_receive(fiber, fiber.phase, wanted, &slot(rank, action.request));
    }
    if (rank.taken == nullptr || !rank.taken->contains(action.other))
        fail(fiber.rank, action, fmt::format("no probe has taken a message as number {}", action.other - 1));
    const auto found = rank.taken->find(action.other);
    wanted.from = messenger_.request(found->second).rank;
    wanted.tag = messenger_.request(found->second).tag;
    slot(rank, action.request) = receive_taken(fiber, found->second, wanted);
    rank.taken->erase(found);
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_collective(Fiber& fiber, TraceRank& rank, const Action& action) {
    if (fiber.phase == 3) return by_turns() ? occupy(fiber, fiber.step_phase, Time::zero()) : Outcome::done;
    if (fiber.phase == 1) { // the algorithm is over: what the reduction costs beside it
        if (action.volume <= 0) return Outcome::done;
        account_call(fiber.rank, call_number(action));
        fiber.phase = 2;
        fiber.step_phase = 0;
    }
    if (fiber.phase == 2) {
        if (perform_compute(fiber, fiber.step_phase, action.volume) == Outcome::blocked)
            return Outcome::blocked;
        account_call(fiber.rank, static_cast<std::size_t>(ActionKind::compute));
        return Outcome::done;
    }
    if (by_turns() && action.nonblocking && fiber.phase == 0) { // the call starts on the rank's own CPU
        if (!acquire(fiber, Processors::Use::compute)) return Outcome::blocked;
    }
    Membership& member = membership(rank, action);
    CollectiveCall call;
    if (const auto fault =
            make_call(action, counts(fiber, action), member, communicators_.size(member.index), call))
        fail(fiber.rank, action, *fault);
    if (is_neighbourhood(action.collective)) check_neighbours(fiber, rank, member);
    if (action.nonblocking) {
        const Time after =
            action.volume > 0 ? busy_time(fiber.rank, action.volume, jobs_[rank.job].rate) : Time::zero();
        slot(rank, action.request) = spawn(fiber.rank, member, call, action.line, after).done;
        fiber.phase = 3; // the call begins and ends on the rank's own CPU
        fiber.step_phase = 0;
        return by_turns() ? go_on_at(fiber, clock_.now(), clock_.draw()) : Outcome::done;
    }
    fiber.phase = 1;
    fiber.run = start_collective(fiber, member, call, false, action.line);
    return Outcome::again;
}

void Replayer::fail(std::uint32_t rank, const Action& action, const std::string& reason) const {
    const TraceRank& each = traces_[rank];
    const RankId own{rank - first_rank_[each.job]};
    throw InputError(Error{jobs_[each.job].actions->file(own), action.line, 0,
                           fmt::format("rank {}: {}", own.value, reason)});
}

} // namespace orrery
