#include "protocol/windows.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

bool is_free(const WindowMember& target, bool shared) {
    return !target.exclusive && (shared || target.sharing == 0);
}

void acquire(WindowMember& target, const WindowOperation& lock) {
    target.holder = lock.from;
    if (lock.shared) {
        ++target.sharing;
    } else {
        target.exclusive = true;
    }
}

// Whether nothing that went to the target needs the origin's buffers.
bool buffers_free(const WindowMember& own, std::uint32_t target) {
    const auto found = own.to.find(target);
    return found == own.to.end() || found->second.using_buffers == 0;
}

} // namespace

WindowMember& Windows::origin(const WindowOperation& operation) {
    return operation.window->members[operation.from];
}
WindowMember& Windows::target(const WindowOperation& operation) {
    return operation.window->members[operation.to];
}
WindowChannel& Windows::channel(const WindowOperation& operation) { return origin(operation).to[operation.to]; }

WindowMember& Windows::member(const Membership& of) {
    std::unique_ptr<WindowState>& window = windows_[of.index];
    if (window == nullptr) {
        window = std::make_unique<WindowState>();
        window->communicator = of.index;
        window->members.resize(communicators_.size(of.index));
        for (std::uint32_t rank = 0; rank < window->members.size(); ++rank) {
            window->members[rank].window = window.get();
            window->members[rank].rank = rank;
        }
    }
    return window->members[of.rank];
}

void Windows::leave(const Membership& who) {
    const auto found = windows_.find(who.index);
    if (found == windows_.end()) return;
    ++found->second->left;
    remove_if_over(*found->second);
}

void Windows::remove_if_over(WindowState& window) {
    if (window.left == window.members.size() && window.under_way == 0 && !window.working)
        windows_.erase(window.communicator);
}

// What a call sends.

std::uint32_t Windows::make(WindowMember& own, Kind kind, std::uint32_t to) {
    const std::uint32_t index = operations_.add();
    WindowOperation& made = operations_[index];
    made.kind = kind;
    made.from = own.rank;
    made.to = to;
    made.window = own.window;
    return index;
}

void Windows::remove(std::uint32_t operation) { operations_.remove(operation); }

bool Windows::uses_buffers(const WindowOperation& operation) const {
    return operation.kind == Kind::data && (operation.answered || operation.bytes >= endpoint_.eager_below);
}

void Windows::add(WindowMember& own, std::uint32_t index, WindowChannel& to) {
    WindowOperation& operation = operations_[index];
    operation.number = to.sent++;
    ++unperformed_;
    ++own.under_way;
    if (uses_buffers(operation)) {
        ++to.using_buffers;
        ++own.using_buffers;
    } else if (operation.kind != Kind::data && operation.answered) {
        ++own.awaited;
    }
    if (operation.answered) {
        to.unconfirmed = false; // its answer says that all before it are performed
    } else if (operation.kind == Kind::data) {
        to.unconfirmed = true;
    }
    own.outgoing.push_back(index);
}

void Windows::ask(WindowMember& own, std::uint32_t to, WindowChannel& there, Kind kind, bool answered,
                  bool shared) {
    const std::uint32_t index = make(own, kind, to);
    operations_[index].answered = answered;
    operations_[index].shared = shared;
    add(own, index, there);
}

void Windows::ask_flush(WindowMember& own, std::uint32_t to, WindowChannel& there) {
    if (there.unconfirmed) ask(own, to, there, Kind::flush, true);
}

// The lock is given up when all operations before are performed; the answer says that they are.
void Windows::ask_unlock(WindowMember& own, std::uint32_t to, WindowChannel& there) {
    if (there.asked) {
        ask(own, to, there, Kind::unlock, there.unconfirmed);
    } else {
        ask_flush(own, to, there);
    }
    there.asked = there.locked = false;
}

void Windows::begin(WindowMember& own, WindowCall call, std::uint32_t to, std::uint32_t flags,
                    std::span<const Bytes> ranks) {
    const bool checked = (flags & window_unchecked) == 0;
    const bool memory = (flags & window_memory) != 0;
    // A lock of memory that is not reached by operations only is there before the call ends.
    const auto lock = [&](std::uint32_t rank, bool shared) {
        WindowChannel& there = own.to[rank];
        there.asked = true;
        ask(own, rank, there, Kind::lock, memory || rank == own.rank, shared);
    };
    switch (call) {
    case WindowCall::lock:
        own.to[to].locked = true;
        if (checked) lock(to, (flags & window_shared) != 0);
        break;
    case WindowCall::lock_all: // the others are locked when the first operation goes there
        own.locks_first = checked;
        for (std::uint32_t rank = 0; checked && rank < own.window->members.size(); ++rank) {
            if (memory || rank == own.rank) lock(rank, true);
        }
        break;
    case WindowCall::unlock: ask_unlock(own, to, own.to[to]); break;
    case WindowCall::unlock_all:
        own.locks_first = false;
        for (auto& [rank, there] : own.to) ask_unlock(own, rank, there);
        break;
    case WindowCall::flush:
        if (const auto found = own.to.find(to); found != own.to.end()) ask_flush(own, to, found->second);
        break;
    case WindowCall::flush_all:
        for (auto& [rank, there] : own.to) ask_flush(own, rank, there);
        break;
    case WindowCall::start:
        own.started.assign(ranks.begin(), ranks.end());
        own.awaits_posts = checked;
        break;
    case WindowCall::complete:
        for (const std::uint32_t rank : own.started) ask(own, rank, own.to[rank], Kind::complete, false);
        own.started.clear();
        break;
    case WindowCall::post:
        own.expected = ranks.size();
        if (!checked) break;
        for (const Bytes rank : ranks) {
            ++own.under_way;
            own.outgoing.push_back(make(own, Kind::post, static_cast<std::uint32_t>(rank)));
        }
        break;
    case WindowCall::fence:
    case WindowCall::flush_local:
    case WindowCall::flush_local_all:
    case WindowCall::wait: break;
    }
}

void Windows::begin(WindowMember& own, std::uint32_t to, Bytes bytes, Bytes back, void* memory,
                    RequestId* request) {
    WindowChannel& there = own.to[to];
    if (own.locks_first && !there.asked) {
        there.asked = true;
        ask(own, to, there, Kind::lock, false, true);
    }
    const std::uint32_t index = make(own, Kind::data, to);
    WindowOperation& made = operations_[index];
    made.answered = back > 0;
    made.bytes = bytes;
    made.back = back;
    made.memory = memory;
    if (request != nullptr) {
        *request = messenger_.activity(communicators_.member(own.window->communicator, own.rank));
        if (uses_buffers(made)) {
            made.request = *request;
        } else {
            messenger_.finish(*request);
        }
    }
    add(own, index, there);
}

// The way there and back.

Bytes Windows::transferred_bytes(const WindowOperation& operation) const {
    const Bytes bytes = operation.returning ? operation.back : operation.bytes;
    return bytes > 0 ? bytes : endpoint_.control_bytes;
}

Time Windows::cost(const WindowMember& own) const {
    return endpoint_.isend_cost(transferred_bytes(operations_[own.outgoing[own.next]]));
}

void Windows::send_next(WindowMember& own) {
    transfer(own.outgoing[own.next++]);
    own.paid = false;
    if (own.next < own.outgoing.size()) return;
    own.outgoing.clear();
    own.next = 0;
}

void Windows::transfer(std::uint32_t index) {
    const WindowOperation& operation = operations_[index];
    const std::uint32_t communicator = operation.window->communicator;
    const std::uint32_t from = communicators_.member(communicator, operation.from);
    const std::uint32_t to = communicators_.member(communicator, operation.to);
    ++operation.window->under_way;
    messenger_.transfer(operation.returning ? to : from, operation.returning ? from : to,
                        transferred_bytes(operation), index);
}

void Windows::arrive(std::uint32_t index) {
    const WindowOperation& operation = operations_[index];
    WindowState& window = *operation.window;
    --window.under_way;
    if (operation.returning) {
        on_answer(operation);
        remove(index);
    } else if (operation.kind == Kind::post) {
        on_post(operation);
        remove(index);
    } else {
        WindowChannel& there = channel(operation);
        there.arrived.emplace(operation.number, index);
        window.ready.push_back(&there);
        window.working = true;
        while (!window.ready.empty()) { // an unlock adds to them
            WindowChannel& next = *window.ready.front();
            window.ready.pop_front();
            go_on(next);
        }
        window.working = false;
    }
    remove_if_over(window);
}

void Windows::go_on(WindowChannel& there) {
    while (!there.held_up && !there.arrived.empty() && there.arrived.begin()->first == there.performed) {
        const std::uint32_t index = there.arrived.begin()->second;
        there.arrived.erase(there.arrived.begin());
        const WindowOperation& next = operations_[index];
        if (next.kind == Kind::lock) {
            WindowMember& to = target(next);
            if (!to.queued.empty() || !is_free(to, next.shared)) {
                there.held_up = true;
                to.queued.push_back(index);
                return;
            }
            acquire(to, next);
        }
        perform(index);
    }
}

void Windows::perform(std::uint32_t index) {
    WindowOperation& operation = operations_[index];
    WindowMember& from = origin(operation);
    WindowMember& to = target(operation);
    ++channel(operation).performed;
    --unperformed_;
    --from.under_way;
    switch (operation.kind) {
    case Kind::data:
        if (memory_ != nullptr) memory_->perform(operation);
        if (!operation.answered && uses_buffers(operation)) release_buffers(operation);
        break;
    case Kind::unlock: release_lock(to); break;
    case Kind::complete:
        ++to.completed;
        wake(to);
        break;
    case Kind::lock:
    case Kind::flush:
    case Kind::post: break;
    }
    wake(from);
    if (operation.answered) {
        operation.returning = true;
        transfer(index);
    } else {
        remove(index);
    }
}

// Locks are given in the order in which they came.
void Windows::release_lock(WindowMember& to) {
    if (to.exclusive) {
        to.exclusive = false;
    } else {
        --to.sharing;
    }
    while (!to.queued.empty() && is_free(to, operations_[to.queued.front()].shared)) {
        const std::uint32_t next = to.queued.front();
        to.queued.erase(to.queued.begin()); // few
        WindowChannel& there = channel(operations_[next]);
        acquire(to, operations_[next]);
        there.held_up = false;
        if (messenger_.events() != nullptr) messenger_.events()->lock_released(true);
        perform(next);
        if (messenger_.events() != nullptr) messenger_.events()->lock_released(false);
        to.window->ready.push_back(&there);
    }
}

void Windows::release_buffers(const WindowOperation& operation) {
    --channel(operation).using_buffers;
    --origin(operation).using_buffers;
    if (operation.request != no_request) messenger_.finish(operation.request);
}

void Windows::on_answer(const WindowOperation& operation) {
    WindowMember& from = origin(operation);
    if (operation.kind == Kind::data) {
        if (memory_ != nullptr) memory_->take_answer(operation);
        release_buffers(operation);
    } else {
        --from.awaited;
    }
    wake(from);
}

void Windows::on_post(const WindowOperation& operation) {
    WindowMember& poster = origin(operation);
    WindowMember& accessor = target(operation);
    ++accessor.posts[poster.rank];
    --poster.under_way;
    wake(accessor);
    wake(poster);
}

// What a call waits for.

bool Windows::holds(const WindowMember& own, WindowCall call, std::uint32_t to) const {
    switch (call) {
    case WindowCall::fence: return own.under_way == 0 && own.using_buffers == 0;
    case WindowCall::lock:
    case WindowCall::lock_all: return own.awaited == 0;
    case WindowCall::unlock:
    case WindowCall::flush: return own.awaited == 0 && buffers_free(own, to);
    case WindowCall::unlock_all:
    case WindowCall::flush_all: return own.awaited == 0 && own.using_buffers == 0;
    case WindowCall::flush_local: return buffers_free(own, to);
    case WindowCall::flush_local_all:
    case WindowCall::complete: return own.using_buffers == 0;
    case WindowCall::start:
        return !own.awaits_posts ||
               std::all_of(own.started.begin(), own.started.end(), [&](std::uint32_t rank) {
                   const auto found = own.posts.find(rank);
                   return found != own.posts.end() && found->second > 0;
               });
    case WindowCall::wait: return own.completed >= own.expected;
    case WindowCall::post: break;
    }
    return true;
}

void Windows::end(WindowMember& own, WindowCall call) {
    switch (call) {
    case WindowCall::fence:
        for (auto& [rank, there] : own.to) there.unconfirmed = false;
        break;
    case WindowCall::start:
        for (const std::uint32_t rank : own.started) {
            if (own.awaits_posts) --own.posts[rank];
        }
        own.awaits_posts = false;
        break;
    case WindowCall::wait:
        own.completed -= own.expected;
        own.expected = 0;
        break;
    default: break;
    }
}

std::string Windows::waits_for(std::uint32_t rank, std::uint32_t& other) const {
    for (const auto& [communicator, window] : windows_) {
        const std::uint32_t place = communicators_.rank_in(communicator, rank);
        if (place == any_source || window->members[place].waiter == nobody) continue;
        const WindowMember& own = window->members[place];
        for (const std::uint32_t each : own.started) {
            const auto found = own.posts.find(each);
            if (!own.awaits_posts || (found != own.posts.end() && found->second > 0)) continue;
            other = communicators_.member(communicator, each);
            return fmt::format(", for rank {} to post the window", other);
        }
        for (const auto& [to, there] : own.to) {
            if (!there.held_up) continue;
            other = communicators_.member(communicator, window->members[to].holder);
            return fmt::format(", for the lock of the window of rank {}, which rank {} holds",
                               communicators_.member(communicator, to), other);
        }
        if (own.completed < own.expected)
            return fmt::format(", for {} of {} ranks to complete their accesses", own.expected - own.completed,
                               own.expected);
    }
    return {};
}

} // namespace orrery
