// ReplayTwin, part 4 of 6: what each action does, as straight-line code.
#include "reference/replay_twin.h"

#include "results/calls.h"
#include "workload/listed_steps.h"

#include <algorithm>
#include <stdexcept>

namespace orrery::reference {

Routine ReplayTwin::run_rank(Fiber& fiber) {
    ReplayedRank& rank = ranks_[fiber.rank];
    for (;;) {
        const std::span<const Action> window = actions_.next(RankId{fiber.rank});
        if (window.empty()) break;
        for (const Action& action : window) {
            co_await perform(fiber, action);
            account(fiber.rank, call_kind(action));
        }
    }
    rank.finish = now_;
    fiber.state = Fiber::State::over;
    for (auto& [number, request] : rank.requests) { // MPI_Finalize completes them
        if (request->kind == PostedRequest::Kind::send) request->forgotten = true;
    }
}

void ReplayTwin::account(std::uint32_t rank, CallKind kind) {
    ranks_[rank].calls[kind] += now_ - ranks_[rank].accounted;
    ranks_[rank].accounted = now_;
}

Time ReplayTwin::busy_time(std::uint32_t rank, double volume) const {
    return Time::from_ps(volume / platform_.speed(hosts_[rank], volume) * 1e12);
}

Routine ReplayTwin::perform(Fiber& fiber, const Action& action) {
    ReplayedRank& rank = ranks_[fiber.rank];
    const auto out = [&] { return message_of(fiber, action, action.peer, action.bytes, true); };
    const auto in = [&] { return message_of(fiber, action, action.peer, action.bytes, false); };
    switch (action.kind) {
    case ActionKind::compute:
        if (action.volume > 0) co_await compute(fiber, busy_time(fiber.rank, action.volume));
        co_return;
    case ActionKind::sleep: co_await pause(fiber, action); co_return;
    case ActionKind::send: co_await send(fiber, out(), true, false, nullptr); co_return;
    case ActionKind::ssend: co_await send(fiber, out(), true, true, nullptr); co_return;
    case ActionKind::isend:
        co_await send(fiber, out(), false, false, &rank.requests[action.request]);
        co_return;
    case ActionKind::issend:
        co_await send(fiber, out(), false, true, &rank.requests[action.request]);
        co_return;
    case ActionKind::recv: co_await receive(fiber, in()); co_return;
    case ActionKind::irecv: receive_later(fiber, action); co_return;
    case ActionKind::sendrecv:
        co_await exchange(fiber, out(), message_of(fiber, action, action.other, action.more_bytes, false));
        co_return;
    case ActionKind::probe: co_await probe(fiber, action); co_return;
    case ActionKind::wait:
    case ActionKind::wait_all: co_await wait(fiber, action); co_return;
    case ActionKind::wait_any:
    case ActionKind::wait_some: co_await choose(fiber, action); co_return;
    case ActionKind::await: co_await await(fiber, action); co_return;
    case ActionKind::test: co_await test(fiber, action); co_return;
    case ActionKind::collective: co_await perform_collective(fiber, action); co_return;
    case ActionKind::comm_split:
    case ActionKind::comm_dup: co_await split(fiber, action); co_return;
    case ActionKind::comm_create: create(fiber, action); co_return;
    case ActionKind::comm_free: rank.communicators.erase(action.comm); co_return;
    case ActionKind::forget:
        if (PostedRequest* const request = take_request(fiber.rank, action.request)) request->forgotten = true;
        co_return;
    case ActionKind::cancel:
        if (PostedRequest* const request = take_request(fiber.rank, action.request)) {
            if (request->kind == PostedRequest::Kind::send) withdraw(*request);
            request->forgotten = true;
        }
        co_return;
    case ActionKind::neighbours:
        member(fiber.rank, action.comm).neighbours = std::make_shared<const Neighbours>(
            neighbours_of(action, actions_.counts(RankId{fiber.rank}, action)));
        co_return;
    case ActionKind::one_sided: co_await one_sided(fiber, action); co_return;
    case ActionKind::window: co_await window_call(fiber, action); co_return;
    case ActionKind::aside: run_aside(fiber, action); co_return;
    }
}

Routine ReplayTwin::pause(Fiber& fiber, const Action& action) {
    const auto kind = static_cast<Pause>(action.other);
    const Time until = now_ + Time::from_ps(action.volume * 1e12);
    switch (kind) {
    case Pause::outside: co_await sleep_until(fiber, until); co_return;
    case Pause::in_call:
        if (until <= now_) co_return;
        at(until, [this, &fiber] { let_go_on(fiber); });
        co_await be_in_call(fiber);
        co_return;
    case Pause::timed_wait: {
        const std::uint64_t call = fiber.calls + 1;
        at(now_ + Time::ps(static_cast<std::int64_t>(action.bytes)), [this, &fiber, call] {
            if (fiber.calls == call) let_go_on(fiber);
        });
        fiber.probes = true;
        co_await be_in_call(fiber);
        fiber.probes = false;
        co_return;
    }
    case Pause::probe:
        co_await look(fiber);
        ++failed_looks_;
        co_return;
    case Pause::found:
        co_await look(fiber);
        failed_looks_ = 0;
        co_return;
    }
}

PostedRequest ReplayTwin::message_of(const Fiber& fiber, const Action& action, std::uint32_t peer, Bytes bytes,
                                     bool outgoing) {
    const std::uint32_t communicator = member(fiber.rank, action.comm).index;
    const std::uint32_t other = peer == any_source ? any_source : communicators_[communicator].members.at(peer);
    PostedRequest message;
    message.from = outgoing ? fiber.rank : other;
    message.to = outgoing ? other : fiber.rank;
    message.context = Communicators::messages_context(communicator);
    message.tag = action.tag;
    message.bytes = bytes;
    return message;
}

// A send may go on at once up to the eager limit.
Routine ReplayTwin::send(Fiber& fiber, PostedRequest message, bool blocking, bool synchronous,
                         PostedRequest** request) {
    const EndpointParameters& endpoint = options_.endpoint;
    const bool eager = message.bytes < endpoint.eager_below;
    Time overhead = cost(blocking ? endpoint.send_overhead : endpoint.isend_overhead, message.bytes);
    if (blocking && !eager && !synchronous && endpoint.overhead_if_eager_only) overhead = Time::zero();
    co_await begin(fiber, overhead > Time::zero());
    co_await work(fiber, overhead);
    PostedRequest& sent = post_send(fiber, message, synchronous);
    if (request != nullptr) *request = &sent;
    if (blocking) co_await wait_for(fiber, sent);
}

Routine ReplayTwin::receive(Fiber& fiber, PostedRequest message) {
    co_await begin(fiber, false);
    PostedRequest& posted = post_receive(fiber, message);
    co_await wait_for(fiber, posted);
}

// Both at once. With itself a rank copies.
Routine ReplayTwin::exchange(Fiber& fiber, PostedRequest out, PostedRequest in) {
    if (out.to == fiber.rank && in.from == fiber.rank) co_return;
    const Time overhead = cost(options_.endpoint.isend_overhead, out.bytes);
    std::vector<PostedRequest*> both;
    if (by_cpu()) { // the receive is posted first; the send was ready at the same time
        const Time ready = fiber.ready_since;
        co_await begin(fiber, false);
        fiber.ready_since = ready;
        both.push_back(&post_receive(fiber, in));
        co_await begin(fiber, overhead > Time::zero());
        co_await work(fiber, overhead);
        both.push_back(&post_send(fiber, out, false));
    } else {
        co_await work(fiber, overhead);
        both.push_back(&post_send(fiber, out, false));
        both.push_back(&post_receive(fiber, in));
    }
    co_await wait_for(fiber, both);
}

// For all of them.
Routine ReplayTwin::wait_for(Fiber& fiber, std::vector<PostedRequest*> requests) {
    fiber.paid_until = now_;
    std::vector<PostedRequest*> pending;
    for (PostedRequest* const each : requests) {
        if (each->complete) {
            fiber.paid_until += waiting_cost(*each);
        } else {
            pending.push_back(each);
        }
    }
    if (pending.empty()) {
        co_await sleep_until(fiber, fiber.paid_until);
    } else {
        fiber.awaited = pending;
        fiber.one_is_enough = false;
        co_await be_in_call(fiber);
        fiber.awaited.clear();
    }
    for (PostedRequest* const each : requests) fiber.ready_since = later(fiber.ready_since, each->completed);
}

Routine ReplayTwin::wait_for(Fiber& fiber, PostedRequest& request) {
    return wait_for(fiber, std::vector<PostedRequest*>{&request});
}

Routine ReplayTwin::wait_for_one(Fiber& fiber, std::vector<PostedRequest*> requests) {
    fiber.awaited = std::move(requests);
    fiber.one_is_enough = true;
    fiber.paid_until = now_;
    co_await be_in_call(fiber);
    fiber.awaited.clear();
}

// Null: it was found done before.
PostedRequest* ReplayTwin::take_request(std::uint32_t rank, std::uint32_t number) {
    const auto found = ranks_[rank].requests.find(number);
    if (found == ranks_[rank].requests.end()) return nullptr;
    PostedRequest* const request = found->second;
    ranks_[rank].requests.erase(found);
    return request;
}

// The numbers that an action names; all that are left if it names none.
std::vector<std::uint32_t> ReplayTwin::numbers(const Fiber& fiber, const Action& action) {
    std::vector<std::uint32_t> named;
    for (const Bytes each : actions_.counts(RankId{fiber.rank}, action))
        named.push_back(static_cast<std::uint32_t>(each));
    if (action.counts == 0) {
        for (const auto& [number, request] : ranks_[fiber.rank].requests) named.push_back(number);
    }
    return named;
}

Routine ReplayTwin::wait(Fiber& fiber, const Action& action) {
    std::vector<std::uint32_t> wanted{action.request};
    if (action.kind == ActionKind::wait_all) wanted = numbers(fiber, action);
    std::vector<PostedRequest*> requests;
    for (const std::uint32_t number : wanted) {
        if (PostedRequest* const request = take_request(fiber.rank, number)) requests.push_back(request);
    }
    co_await wait_for(fiber, requests);
}

// One of them, or all that are done when one is.
Routine ReplayTwin::choose(Fiber& fiber, const Action& action) {
    const std::map<std::uint32_t, PostedRequest*>& all = ranks_[fiber.rank].requests;
    for (;;) {
        std::vector<PostedRequest*> pending;
        std::vector<PostedRequest*> chosen;
        for (const std::uint32_t number : numbers(fiber, action)) {
            const auto found = all.find(number);
            if (found == all.end()) continue;
            PostedRequest* const request = found->second;
            pending.push_back(request);
            if (!request->complete || (!chosen.empty() && action.kind == ActionKind::wait_any)) continue;
            chosen.push_back(take_request(fiber.rank, number));
        }
        if (!chosen.empty() || pending.empty()) {
            co_await wait_for(fiber, chosen);
            co_return;
        }
        co_await wait_for_one(fiber, pending);
    }
}

// One of them is done, or will be: it stays.
Routine ReplayTwin::await(Fiber& fiber, const Action& action) {
    const std::map<std::uint32_t, PostedRequest*>& all = ranks_[fiber.rank].requests;
    std::vector<PostedRequest*> pending;
    for (const Bytes number : actions_.counts(RankId{fiber.rank}, action)) {
        const auto found = all.find(static_cast<std::uint32_t>(number));
        if (found == all.end() || found->second->complete) co_return;
        pending.push_back(found->second);
    }
    co_await wait_for_one(fiber, pending);
}

Routine ReplayTwin::test(Fiber& fiber, const Action& action) {
    const auto found = ranks_[fiber.rank].requests.find(action.request);
    if (found == ranks_[fiber.rank].requests.end()) co_return;
    PostedRequest* const request = found->second;
    co_await look(fiber);
    if (!request->complete) {
        ++failed_looks_;
        co_return;
    }
    failed_looks_ = 0;
    take_request(fiber.rank, action.request);
    co_await wait_for(fiber, *request);
}

Routine ReplayTwin::probe(Fiber& fiber, const Action& action) {
    PostedRequest wanted = message_of(fiber, action, action.peer, 0, false);
    wanted.rank = fiber.rank;
    while (find_message(wanted) == nullptr) {
        fiber.probes = true;
        co_await be_in_call(fiber);
        fiber.probes = false;
    }
    if (action.other == 0) co_return;
    PostedRequest* const found = find_message(wanted);
    std::erase(unexpected_, found);
    ranks_[fiber.rank].taken[action.other] = found;
}

void ReplayTwin::receive_later(Fiber& fiber, const Action& action) {
    ReplayedRank& rank = ranks_[fiber.rank];
    PostedRequest*& request = rank.requests[action.request];
    const PostedRequest wanted = message_of(fiber, action, action.peer, action.bytes, false);
    if (action.other == 0) {
        request = &post_receive(fiber, wanted);
        return;
    }
    PostedRequest& message = *rank.taken.at(action.other);
    rank.taken.erase(action.other);
    request = &make(fiber, PostedRequest::Kind::receive);
    match(message, *request);
}

} // namespace orrery::reference
