// Replayer, part 2 of 4: what each action of a trace does.
//
// Actions that may have to wait are written in phases: `phase` says how far the present one is, and the strand
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

std::span<const Bytes> Replayer::counts(const Strand& strand, const Action& action) const {
    const std::uint32_t job = traces_[strand.rank].job;
    return jobs_[job].actions->counts(RankId{strand.rank - first_rank_[job]}, action);
}

Messenger::Message Replayer::message(const Strand& strand, const Action& action, std::uint32_t peer,
                                     Bytes bytes, bool outgoing) {
    TraceRank& rank = traces_[strand.rank];
    const std::uint32_t other = peer_of(rank, action, peer);
    return {outgoing ? strand.rank : other,
            outgoing ? other : strand.rank,
            Communicators::messages_context(membership(rank, action).index),
            action.tag,
            bytes,
            static_cast<std::uint32_t>(action.line)};
}

Replayer::Outcome Replayer::perform_compute(Strand& strand, std::uint8_t& phase, double volume) {
    if (volume <= 0) return Outcome::done;
    if (phase != 0 && !by_turns()) { // it has ended, as in compute()
        strand.busy_until = clock_.now();
        return Outcome::done;
    }
    return compute(strand, phase, busy_time(strand.rank, volume, jobs_[traces_[strand.rank].job].rate));
}

Replayer::Outcome Replayer::perform(Strand& strand, const Action& action) {
    TraceRank& rank = traces_[strand.rank];
    switch (action.kind) {
    case ActionKind::compute: return perform_compute(strand, strand.phase, action.volume);
    case ActionKind::sleep: return perform_pause(strand, action);
    case ActionKind::send:
    case ActionKind::ssend:
        return send(strand, strand.phase, message(strand, action, action.peer, action.bytes, true), true,
                    action.kind == ActionKind::ssend, nullptr);
    case ActionKind::isend:
    case ActionKind::issend:
        return send(strand, strand.phase, message(strand, action, action.peer, action.bytes, true), false,
                    action.kind == ActionKind::issend, &slot(rank, action.request));
    case ActionKind::recv:
        return receive(strand, strand.phase, message(strand, action, action.peer, action.bytes, false));
    case ActionKind::irecv: return perform_irecv(strand, rank, action);
    case ActionKind::sendrecv:
        return exchange(strand, strand.phase, message(strand, action, action.peer, action.bytes, true),
                        message(strand, action, action.other, action.more_bytes, false));
    case ActionKind::probe: return perform_probe(strand, action);
    case ActionKind::wait:
    case ActionKind::wait_all: return perform_wait(strand, rank, action);
    case ActionKind::wait_any:
    case ActionKind::wait_some: return perform_choice(strand, rank, action);
    case ActionKind::await: return perform_await(strand, rank, action);
    case ActionKind::test: return perform_test(strand, rank, action);
    case ActionKind::collective: return perform_collective(strand, rank, action);
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::comm_create:
    case ActionKind::comm_free: return perform_communicator(strand, rank, action);
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
    case ActionKind::neighbours: perform_neighbours(strand, rank, action); return Outcome::done;
    case ActionKind::one_sided:
    case ActionKind::window: return perform_window(strand, rank, action);
    case ActionKind::aside: return perform_aside(strand, rank, action);
    }
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_pause(Strand& strand, const Action& action) {
    const auto pause = static_cast<Pause>(action.other);
    const auto until = [&] { return clock_.now() + Time::from_ps(action.volume * 1e12, "a pause"); };
    if (strand.phase == 0) {
        strand.phase = 1;
        switch (pause) {
        case Pause::outside:
            if (by_turns()) {
                strand.phase = 0;
                return occupy(strand, strand.phase, until() - clock_.now());
            }
            return spend(strand, until(), EventKind::idle);
        case Pause::in_call: return pause_in_call(strand, until());
        case Pause::timed_wait: {
            const auto most = static_cast<std::int64_t>(std::min<Bytes>(action.bytes, max_op_size));
            return timed_wait(strand,
                              clock_.now() + std::min(Time::ps(most), Time::longest())); // it is refused
        }
        case Pause::look:
        case Pause::found:
            if (look(strand) == Outcome::blocked) return Outcome::blocked;
        }
    }
    if (pause == Pause::timed_wait) probers_[strand.rank] = nobody;
    if (pause == Pause::look) ++failed_looks_;
    if (pause == Pause::found) failed_looks_ = 0;
    return Outcome::done;
}

// One of them is done, or will be: it stays.
Replayer::Outcome Replayer::perform_await(Strand& strand, TraceRank& rank, const Action& action) {
    const auto each_request = [&](const auto& visit) {
        for (const Bytes number : counts(strand, action)) visit(slot(rank, static_cast<std::uint32_t>(number)));
    };
    if (strand.phase == 0) {
        strand.phase = 1;
        bool done = false;
        each_request([&](RequestId id) { done = done || id == no_request || is_done(id); });
        if (done) return Outcome::done;
        RequestId first = no_request;
        each_request([&](RequestId id) {
            if (first == no_request || known_end(id) < known_end(first)) first = id;
        });
        if (first != no_request && known_end(first) != Time::max()) return sleep_until_done(strand, first);
        each_request([&](RequestId id) { messenger_.request(id).waiter = strand.index; });
        strand.mode = Strand::Mode::choosing;
        take_messages(strand.rank);
        return Outcome::blocked;
    }
    each_request([&](RequestId id) { messenger_.request(id).waiter = nobody; });
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_wait(Strand& strand, TraceRank& rank, const Action& action) {
    if (strand.phase != 0) return Outcome::done;
    strand.phase = 1;
    begin_wait(strand);
    const auto add = [&](RequestId& id) {
        if (id != no_request) add_wait(strand, id);
        id = no_request; // once waited for, it is the strand's
    };
    if (action.kind == ActionKind::wait) {
        add(slot(rank, action.request));
    } else if (action.counts == 0) {
        for (RequestId& id : rank.requests) add(id);
    } else {
        for (const Bytes number : counts(strand, action)) add(slot(rank, static_cast<std::uint32_t>(number)));
    }
    return end_wait(strand);
}

// One of several requests: looks for one that is done, and otherwise sleeps until one is.
Replayer::Outcome Replayer::perform_choice(Strand& strand, TraceRank& rank, const Action& action) {
    if (strand.phase == 2) return Outcome::done; // the overhead of what was taken is over
    std::vector<std::uint32_t> numbers;
    for (const Bytes number : counts(strand, action)) numbers.push_back(static_cast<std::uint32_t>(number));
    if (action.counts == 0) {
        for (std::uint32_t number = 0; number < rank.requests.size(); ++number) numbers.push_back(number);
    }
    strand.phase = 1;
    bool any = false;
    bool pending = false;
    begin_wait(strand);
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
        add_wait(strand, id);
        id = no_request;
    }
    if (any || !pending) {
        strand.phase = 2;
        return end_wait(strand);
    }
    for (const std::uint32_t number : numbers) {
        const RequestId id = slot(rank, number);
        if (id != no_request) messenger_.request(id).waiter = strand.index;
    }
    strand.mode = Strand::Mode::choosing;
    take_messages(strand.rank);
    return Outcome::blocked;
}

Replayer::Outcome Replayer::perform_test(Strand& strand, TraceRank& rank, const Action& action) {
    RequestId& id = slot(rank, action.request);
    if (strand.phase == 2 || id == no_request) return Outcome::done;
    if (strand.phase == 0) {
        strand.phase = 1;
        if (look(strand) == Outcome::blocked) return Outcome::blocked;
    }
    if (!is_done(id)) {
        ++failed_looks_;
        return Outcome::done;
    }
    failed_looks_ = 0;
    strand.phase = 2;
    begin_wait(strand);
    add_wait(strand, id);
    id = no_request;
    return end_wait(strand);
}

Replayer::Outcome Replayer::perform_probe(Strand& strand, const Action& action) {
    const Messenger::Message wanted = message(strand, action, action.peer, 0, false);
    strand.phase = 1;
    if (!messenger_.peek(wanted)) return await_message(strand);
    probers_[strand.rank] = nobody;
    if (action.other == 0) return Outcome::done;
    TraceRank& rank = traces_[strand.rank];
    if (rank.taken == nullptr) rank.taken = std::make_unique<std::map<std::uint32_t, RequestId>>();
    if (!rank.taken->emplace(action.other, *messenger_.take(wanted)).second)
        fail(strand.rank, action, fmt::format("takes another message as number {}", action.other - 1));
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_irecv(Strand& strand, TraceRank& rank, const Action& action) {
    Messenger::Message wanted = message(strand, action, action.peer, action.bytes, false);
    if (action.other == 0) {
        return post_receive(strand, strand.phase, wanted, &slot(rank, action.request));
    }
    if (rank.taken == nullptr || !rank.taken->contains(action.other))
        fail(strand.rank, action, fmt::format("no probe has taken a message as number {}", action.other - 1));
    const auto found = rank.taken->find(action.other);
    wanted.from = messenger_.request(found->second).rank;
    wanted.tag = messenger_.request(found->second).tag;
    slot(rank, action.request) = receive_taken(strand, found->second, wanted);
    rank.taken->erase(found);
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_collective(Strand& strand, TraceRank& rank, const Action& action) {
    if (strand.phase == 3) return by_turns() ? occupy(strand, strand.step_phase, Time::zero()) : Outcome::done;
    if (strand.phase == 1) { // the algorithm is over: what the reduction costs beside it
        if (action.volume <= 0) return Outcome::done;
        account_call(strand.rank, call_number(action));
        strand.phase = 2;
        strand.step_phase = 0;
    }
    if (strand.phase == 2) {
        if (perform_compute(strand, strand.step_phase, action.volume) == Outcome::blocked)
            return Outcome::blocked;
        account_call(strand.rank, static_cast<std::size_t>(ActionKind::compute));
        return Outcome::done;
    }
    if (by_turns() && action.nonblocking && strand.phase == 0) { // the call starts on the rank's own CPU
        if (!acquire(strand, Processors::Use::compute)) return Outcome::blocked;
    }
    Membership& member = membership(rank, action);
    CollectiveCall call;
    if (const auto fault =
            make_call(action, counts(strand, action), member, communicators_.size(member.index), call))
        fail(strand.rank, action, *fault);
    if (is_neighbourhood(action.collective)) check_neighbours(strand, rank, member);
    if (action.nonblocking) {
        const Time after =
            action.volume > 0 ? busy_time(strand.rank, action.volume, jobs_[rank.job].rate) : Time::zero();
        slot(rank, action.request) = spawn(strand.rank, member, call, action.line, after).done;
        strand.phase = 3; // the call begins and ends on the rank's own CPU
        strand.step_phase = 0;
        return by_turns() ? go_on_at(strand, clock_.now(), clock_.draw()) : Outcome::done;
    }
    strand.phase = 1;
    strand.run = start_collective(strand, member, call, false, action.line);
    return Outcome::again;
}

void Replayer::fail(std::uint32_t rank, const Action& action, const std::string& reason) const {
    const TraceRank& each = traces_[rank];
    const RankId own{rank - first_rank_[each.job]};
    throw InputError(Error{jobs_[each.job].actions->file(own), action.line, 0,
                           fmt::format("rank {}: {}", own.value, reason)});
}

} // namespace orrery
