// ReplayTwin, part 6 of 6: one-sided communication.
//
// An operation travels as one message and is performed when it is there and all before it of the same two
// members are performed. A lock that is not free holds up what follows it. What reads is answered; what is not
// answered is known to be performed when something after it is.
#include "reference/replay_twin.h"

#include <algorithm>

namespace orrery::reference {

using Operation = OneSidedOperation;

bool ReplayedWindow::may_have_lock(const Operation& lock) const {
    const std::vector<Operation*>& holders = members[lock.to].holders;
    return holders.empty() || (lock.shared && holders.front()->shared);
}

bool ReplayedWindow::holds(WindowCall call, std::uint32_t own, std::uint32_t target) const {
    const WindowPart& part = members[own];
    const auto none = [&](const auto& condition) {
        return std::none_of(operations.begin(), operations.end(),
                            [&](const auto& each) { return each->from == own && condition(*each); });
    };
    const auto buffers_free = [&](bool anywhere) {
        return none([&](const Operation& each) {
            return each.needs_buffer && !each.over && (anywhere || each.to == target);
        });
    };
    const bool all_answered = none([](const Operation& each) {
        return each.kind != Operation::Kind::data && each.answered && !each.over;
    });
    switch (call) {
    case WindowCall::fence:
        return buffers_free(true) && none([](const Operation& each) { return !each.performed; });
    case WindowCall::lock:
    case WindowCall::lock_all: return all_answered;
    case WindowCall::unlock:
    case WindowCall::flush: return all_answered && buffers_free(false);
    case WindowCall::unlock_all:
    case WindowCall::flush_all: return all_answered && buffers_free(true);
    case WindowCall::flush_local: return buffers_free(false);
    case WindowCall::flush_local_all:
    case WindowCall::complete: return buffers_free(true);
    case WindowCall::start:
        return !part.awaits_posts || std::all_of(part.started.begin(), part.started.end(),
                                                 [&](std::uint32_t to) { return part.targets[to].posts > 0; });
    case WindowCall::wait: return part.completed >= part.expected;
    case WindowCall::post: return true;
    }
    return true;
}

Operation& ReplayTwin::add_operation(ReplayedWindow& window, Operation::Kind kind, std::uint32_t from,
                                     std::uint32_t to, bool answered) {
    Operation& made = *window.operations.emplace_back(std::make_unique<Operation>());
    made.kind = kind;
    made.from = from;
    made.to = to;
    made.answered = answered;
    WindowTarget& target = window.members[from].targets[to];
    if (answered) target.unconfirmed = false;
    if (!answered && kind == Operation::Kind::data) target.unconfirmed = true;
    return made;
}

ReplayedWindow& ReplayTwin::window_of(const Membership& member) {
    ReplayedWindow& window = windows_[member.index];
    if (window.members.empty()) window.set_size(communicators_[member.index].members.size());
    window.communicator = member.index;
    return window;
}

// One after the other, each for its overhead.
Routine ReplayTwin::send_operations(Fiber& fiber, ReplayedWindow& window, std::vector<Operation*> operations) {
    for (Operation* const each : operations) {
        const Bytes bytes = each->bytes > 0 ? each->bytes : options_.endpoint.control_bytes;
        co_await work(fiber, cost(options_.endpoint.isend_overhead, bytes));
        fly_operation(window, *each, each->bytes, each->from, each->to);
    }
}

void ReplayTwin::fly_operation(ReplayedWindow& window, Operation& operation, Bytes bytes, std::uint32_t from,
                               std::uint32_t to) {
    const std::vector<std::uint32_t>& members = communicators_[window.communicator].members;
    if (bytes == 0) bytes = options_.endpoint.control_bytes;
    ++result_.messages;
    result_.bytes += bytes;
    const Time takes =
        delays_.of(hosts_[members[from]], hosts_[members[to]], bytes + options_.endpoint.envelope);
    const auto lands = [this, &window, &operation, there = members[to]] {
        operation_lands(window, operation);
        message_came(there);
    };
    const auto leaves = [this, takes, lands] {
        flights_.push_back({now_ + takes, FlightKind::one_sided, nullptr, lands});
    };
    if (!by_cpu()) return leaves();
    leaving_.push_back({members[from], 0, LeavingKind::one_sided, {0, ++posted_so_far_}, nullptr, leaves});
}

void ReplayTwin::operation_lands(ReplayedWindow& window, Operation& operation) {
    if (operation.performed) { // its answer
        is_over(operation);
        look_again(window, operation.from);
    } else if (operation.kind == Operation::Kind::post) {
        ++window.members[operation.to].targets[operation.from].posts;
        operation.performed = operation.over = true;
        look_again(window, operation.to);
        look_again(window, operation.from);
    } else {
        operation.arrived = true;
        perform_what_can(window, operation.from, operation.to);
    }
}

// What a member's call waits for may be there.
void ReplayTwin::look_again(ReplayedWindow& window, std::uint32_t member) {
    if (window.members[member].waiter != nullptr) let_go_on(*window.members[member].waiter);
}

void ReplayTwin::is_over(Operation& operation) {
    operation.over = true;
    if (operation.request != nullptr && !operation.request->complete) complete(*operation.request);
}

// Operations of two members, in the order in which they were asked for.
void ReplayTwin::perform_what_can(ReplayedWindow& window, std::uint32_t from, std::uint32_t to) {
    std::vector<std::uint32_t> granted; // origins whose locks an unlock has let in
    for (const std::unique_ptr<Operation>& each : window.operations) {
        Operation& next = *each;
        if (next.from != from || next.to != to || next.kind == Operation::Kind::post || next.performed)
            continue;
        if (!next.arrived || next.queued) break;
        WindowPart& target = window.members[to];
        if (next.kind == Operation::Kind::lock) {
            if (!target.queue.empty() || !window.may_have_lock(next)) {
                next.queued = true;
                target.queue.push_back(&next);
                break;
            }
            target.holders.push_back(&next);
        }
        if (next.kind == Operation::Kind::unlock) give_up_lock(window, next, granted);
        perform_operation(window, next);
    }
    for (const std::uint32_t origin : granted) perform_what_can(window, origin, to);
}

// Those who wait for it get it in the order in which they came.
void ReplayTwin::give_up_lock(ReplayedWindow& window, const Operation& unlock,
                              std::vector<std::uint32_t>& granted) {
    WindowPart& target = window.members[unlock.to];
    std::erase_if(target.holders, [&](const Operation* lock) { return lock->from == unlock.from; });
    while (!target.queue.empty() && window.may_have_lock(*target.queue.front())) {
        Operation& lock = *target.queue.front();
        target.queue.erase(target.queue.begin());
        target.holders.push_back(&lock);
        lock.queued = false;
        perform_operation(window, lock);
        granted.push_back(lock.from);
    }
}

void ReplayTwin::perform_operation(ReplayedWindow& window, Operation& operation) {
    operation.performed = true;
    if (operation.kind == Operation::Kind::complete) {
        ++window.members[operation.to].completed;
        look_again(window, operation.to);
    }
    look_again(window, operation.from);
    if (operation.answered) {
        fly_operation(window, operation, operation.back, operation.to, operation.from);
    } else {
        is_over(operation);
    }
}

Routine ReplayTwin::one_sided(Fiber& fiber, const Action& action) {
    const Membership& own = member(fiber.rank, action.comm);
    ReplayedWindow& window = window_of(own);
    WindowPart& part = window.members[own.rank];
    std::vector<Operation*> operations;
    if (part.locks_first && !part.targets[action.peer].lock_asked) {
        part.targets[action.peer].lock_asked = true;
        operations.push_back(&add_operation(window, Operation::Kind::lock, own.rank, action.peer, false));
        operations.back()->shared = true;
    }
    Operation& data =
        add_operation(window, Operation::Kind::data, own.rank, action.peer, action.more_bytes > 0);
    operations.push_back(&data);
    data.bytes = action.bytes;
    data.back = action.more_bytes;
    data.needs_buffer = data.answered || data.bytes >= options_.endpoint.eager_below;
    if (action.nonblocking) {
        data.request = &make(fiber, PostedRequest::Kind::activity);
        ranks_[fiber.rank].requests[action.request] = data.request;
        if (!data.needs_buffer) complete(*data.request);
    }
    co_await send_operations(fiber, window, operations);
}

// What a call asks for.
std::vector<Operation*> ReplayTwin::operations_of(ReplayedWindow& window, std::uint32_t own,
                                                  const Action& action, std::span<const Bytes> ranks) {
    using Kind = Operation::Kind;
    WindowPart& part = window.members[own];
    const bool checked = (action.tag & window_unchecked) == 0;
    const bool memory = (action.tag & window_memory) != 0;
    std::vector<Operation*> made;
    const auto lock = [&](std::uint32_t to, bool shared) {
        part.targets[to].lock_asked = true;
        made.push_back(&add_operation(window, Kind::lock, own, to, memory || to == own));
        made.back()->shared = shared;
    };
    const auto flush = [&](std::uint32_t to) {
        if (part.targets[to].unconfirmed) made.push_back(&add_operation(window, Kind::flush, own, to, true));
    };
    const auto unlock = [&](std::uint32_t to) {
        WindowTarget& target = part.targets[to];
        if (!target.lock_asked) return flush(to);
        target.lock_asked = false;
        made.push_back(&add_operation(window, Kind::unlock, own, to, target.unconfirmed));
    };
    const auto everywhere = [&](const auto& what) {
        for (std::uint32_t to = 0; to < window.members.size(); ++to) what(to);
    };
    switch (static_cast<WindowCall>(action.other)) {
    case WindowCall::lock:
        if (checked) lock(action.peer, (action.tag & window_shared) != 0);
        break;
    case WindowCall::lock_all:
        part.locks_first = checked;
        everywhere([&](std::uint32_t to) {
            if (checked && (memory || to == own)) lock(to, true);
        });
        break;
    case WindowCall::unlock: unlock(action.peer); break;
    case WindowCall::unlock_all:
        part.locks_first = false;
        everywhere(unlock);
        break;
    case WindowCall::flush: flush(action.peer); break;
    case WindowCall::flush_all: everywhere(flush); break;
    case WindowCall::start:
        part.started.assign(ranks.begin(), ranks.end());
        part.awaits_posts = checked;
        break;
    case WindowCall::complete:
        for (const std::uint32_t to : part.started)
            made.push_back(&add_operation(window, Kind::complete, own, to, false));
        part.started.clear();
        break;
    case WindowCall::post:
        part.expected = ranks.size();
        for (const Bytes to : ranks) {
            if (checked)
                made.push_back(&add_operation(window, Kind::post, own, static_cast<std::uint32_t>(to), false));
        }
        break;
    case WindowCall::fence:
    case WindowCall::flush_local:
    case WindowCall::flush_local_all:
    case WindowCall::wait: break;
    }
    return made;
}

Routine ReplayTwin::window_call(Fiber& fiber, const Action& action) {
    const auto call = static_cast<WindowCall>(action.other);
    Membership& own = member(fiber.rank, action.comm);
    const std::uint32_t place = own.rank;
    ReplayedWindow& window = window_of(own);
    WindowPart& part = window.members[place];
    co_await send_operations(fiber, window,
                             operations_of(window, place, action, actions_.counts(RankId{fiber.rank}, action)));
    const bool is_flush = call == WindowCall::flush || call == WindowCall::flush_all ||
                          call == WindowCall::flush_local || call == WindowCall::flush_local_all;
    if (is_flush &&
        window.holds(call, place, action.peer)) { // of nothing: programs do it until something comes
        co_await sleep_until(fiber, now_ + Time::ns(100));
        co_return;
    }
    while (!window.holds(call, place, action.peer)) {
        part.waiter = &fiber;
        co_await be_in_call(fiber);
        part.waiter = nullptr;
    }
    if (call == WindowCall::start && part.awaits_posts) {
        for (const std::uint32_t to : part.started) --part.targets[to].posts;
        part.awaits_posts = false;
    } else if (call == WindowCall::wait) {
        part.completed -= part.expected;
        part.expected = 0;
    } else if (call == WindowCall::fence) {
        for (WindowTarget& target : part.targets) target.unconfirmed = false;
        CollectiveCall barrier;
        (void)make_call(action, {}, own, static_cast<std::uint32_t>(window.members.size()), barrier);
        CollectiveToRun run = collective(own, barrier, false);
        co_await run_steps(fiber, run);
    }
}

} // namespace orrery::reference
