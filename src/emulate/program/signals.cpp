#include "emulate/program/signals.h"

#include "emulate/program/libc_state.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <ucontext.h>
#include <unistd.h>

namespace orrery::emulate::signals {

std::uint32_t armed = 0;
void (*at_safe_point)() = nullptr;

namespace {

// A handler that was left by longjmp never returns: what it blocked ends with its frame.
void drop_left_handlers(SignalState& mine, const void* frame) {
    if (self().libc->threads != nullptr) return; // other stacks
    while (!mine.handlers.empty() && mine.handlers.back().frame < frame) {
        mine.blocked = mine.handlers.back().blocked;
        mine.handlers.pop_back();
    }
}

[[noreturn]] void end_by(int number) {
    world::abort(128 + number,
                 fmt::format("rank {}: ended by SIG{} ({}), for which it has no handler", self().index,
                             sigabbrev_np(number) == nullptr ? std::to_string(number) : sigabbrev_np(number),
                             strsignal(number)));
}

void act_by_default(int number) {
    switch (number) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT: return;
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        world::abort(1, fmt::format("rank {} stops itself with SIG{}: all ranks share one process",
                                    self().index, sigabbrev_np(number)));
    default: end_by(number);
    }
}

void call_handler(const struct sigaction& action, int number, siginfo_t* info, void* context) {
    if ((action.sa_flags & SA_SIGINFO) != 0)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

// Its frame lies below those of all that calls it, and above those of the handler.
__attribute__((noinline)) void call_within(SignalState& mine, std::uint64_t before,
                                           const struct sigaction& action, siginfo_t* info,
                                           ucontext_t* context) {
    mine.handlers.push_back({__builtin_frame_address(0), before});
    call_handler(action, info->si_signo, info, context);
    mine.handlers.pop_back();
}

// True if a handler was called.
__attribute__((noinline)) bool act(SignalState& mine, int number, sigval value) {
    struct sigaction& found = mine.actions[static_cast<std::size_t>(number)];
    if (found.sa_handler == SIG_IGN) return false;
    if (found.sa_handler == SIG_DFL) {
        act_by_default(number);
        return false;
    }
    const struct sigaction action = found;
    const std::uint64_t before = mine.blocked;
    mine.blocked |= bits(action.sa_mask);
    if ((action.sa_flags & SA_NODEFER) == 0) mine.blocked |= bit(number);
    if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) found.sa_handler = SIG_DFL;
    siginfo_t info{};
    info.si_signo = number;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_value = value;
    ucontext_t context{};
    const int error = errno;
    call_within(mine, before, action, &info, &context);
    errno = error;
    mine.blocked = before;
    return true;
}

extern "C" void pipe_broken(int number) {
    if (current != nullptr && current->libc != nullptr && current->libc->signals != nullptr) {
        const struct sigaction& action = current->libc->signals->actions[SIGPIPE];
        if (action.sa_handler == SIG_IGN) return;
        if (action.sa_handler != SIG_DFL) {
            siginfo_t info{};
            info.si_signo = number;
            ucontext_t context{};
            return call_handler(action, number, &info, &context);
        }
    }
    (void)::signal(number, SIG_DFL);
    (void)::raise(number);
}

} // namespace

void watch_pipes() {
    struct sigaction action {};
    action.sa_handler = pipe_broken;
    action.sa_flags = SA_NODEFER | SA_RESTART;
    (void)::sigaction(SIGPIPE, &action, nullptr);
}

SignalState& own() {
    auto& state = self().libc->signals;
    if (state == nullptr) state = std::make_unique<SignalState>();
    drop_left_handlers(*state, __builtin_frame_address(0));
    return *state;
}

std::uint64_t bit(int number) { return std::uint64_t{1} << static_cast<unsigned>(number - 1); }

std::uint64_t bits(const sigset_t& set) {
    std::uint64_t all = 0;
    std::memcpy(&all, &set, sizeof all);
    return all;
}

sigset_t set_of(std::uint64_t bits) {
    sigset_t set;
    sigemptyset(&set);
    std::memcpy(&set, &bits, sizeof bits);
    return set;
}

bool send(int number, sigval value) {
    SignalState& mine = own();
    if ((mine.blocked & bit(number)) != 0 && number != SIGKILL && number != SIGSTOP) {
        if (mine.actions[static_cast<std::size_t>(number)].sa_handler != SIG_IGN) mine.pending |= bit(number);
        return false;
    }
    return act(mine, number, value);
}

bool deliver_pending() {
    SignalState& mine = own();
    bool called = false;
    while ((mine.pending & ~mine.blocked) != 0) {
        const int number = std::countr_zero(mine.pending & ~mine.blocked) + 1;
        mine.pending &= ~bit(number);
        if (act(mine, number, {})) called = true;
    }
    return called;
}

void set_timer(RankTimer& timer, Time expires, Time every) {
    if (timer.expires == Time::max() && expires != Time::max()) ++armed;
    if (timer.expires != Time::max() && expires == Time::max()) --armed;
    timer.expires = expires;
    timer.every = every;
    timer.overruns = 0;
}

bool check_timers(Time now) {
    if (self().libc->signals == nullptr) return false;
    bool called = false;
    for (std::size_t i = 0; i < own().timers.size(); ++i) {
        RankTimer& timer = own().timers[i];
        if (timer.expires > now) continue;
        Time next = Time::max();
        int missed = 0;
        if (timer.every > Time::zero()) {
            const std::int64_t periods = (now - timer.expires).ticks() / timer.every.ticks();
            missed = static_cast<int>(std::min<std::int64_t>(periods, 1 << 30));
            next = timer.expires + (periods + 1) * timer.every;
        }
        set_timer(timer, next, timer.every);
        timer.overruns = missed;
        const RankTimer fired = timer; // a handler may add timers
        if (fired.function != nullptr) {
            fired.function(fired.value);
            called = true;
        } else if (fired.signal != 0 && send(fired.signal, fired.value)) {
            called = true;
        }
    }
    return called;
}

Time next_expiry() {
    Time first = Time::max();
    if (const SignalState* const mine = self().libc->signals.get(); mine != nullptr)
        for (const RankTimer& timer : mine->timers) first = std::min(first, timer.expires);
    return first;
}

int suspend(const char* call, std::uint64_t blocked, std::uint64_t awaited, Time deadline) {
    const std::uint64_t before = own().blocked;
    own().blocked = (blocked & ~(bit(SIGKILL) | bit(SIGSTOP))) | awaited; // pending, not handled
    int result = 0;
    for (;;) {
        SignalState& mine = own();
        if ((mine.pending & awaited) != 0) {
            result = std::countr_zero(mine.pending & awaited) + 1;
            mine.pending &= ~bit(result);
            break;
        }
        if (deliver_pending() && awaited == 0) break;
        const Time now = world::time();
        if (now >= deadline) break;
        const Time next = std::min(next_expiry(), deadline);
        if (next == Time::max()) world::wait_forever(call);
        if (next > now) world::sleep(next - now);
        if (check_timers(world::time()) && awaited == 0) break;
    }
    own().blocked = before;
    (void)deliver_pending();
    return result;
}

bool handle_fault(int number, siginfo_t* info, void* context) {
    if (current == nullptr || current->in_call || current->libc == nullptr || current->libc->signals == nullptr)
        return false;
    struct sigaction& found = current->libc->signals->actions[static_cast<std::size_t>(number)];
    if (found.sa_handler == SIG_DFL || found.sa_handler == SIG_IGN) return false;
    const struct sigaction action = found;
    if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) found.sa_handler = SIG_DFL;
    call_handler(action, number, info, context);
    return true;
}

void become_real() {
    const SignalState* const mine = self().libc->signals.get();
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (mine != nullptr) action = mine->actions[static_cast<std::size_t>(number)];
        (void)::sigaction(number, &action, nullptr);
    }
    const sigset_t blocked = set_of(mine == nullptr ? 0 : mine->blocked);
    (void)::sigprocmask(SIG_SETMASK, &blocked, nullptr);
}

} // namespace orrery::emulate::signals
