// Functions about signals: those of a rank are its own. In a child process they are the system's.
#include "emulate/program/child.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/libc_time.h"
#include "emulate/program/signals.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

using Handler = void (*)(int);

bool good_signal(int number) {
    if (number > 0 && number < NSIG) return true;
    errno = EINVAL;
    return false;
}
int invalid_signal() {
    errno = EINVAL;
    return -1;
}

int own_sigaction(int number, const struct sigaction* wanted, struct sigaction* before) {
    if (child::here) return ::sigaction(number, wanted, before);
    if (!good_signal(number) || (wanted != nullptr && (number == SIGKILL || number == SIGSTOP)))
        return invalid_signal();
    struct sigaction& mine = signals::own().actions[static_cast<std::size_t>(number)];
    const struct sigaction was = mine;
    if (wanted != nullptr) mine = *wanted;
    if (wanted != nullptr && number == SIGPIPE) signals::watch_pipes();
    if (before != nullptr) *before = was;
    return 0;
}
Handler set_handler(int number, Handler handler, int flags) {
    struct sigaction wanted {};
    struct sigaction before {};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    return own_sigaction(number, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}
Handler own_signal(int number, Handler handler) { return set_handler(number, handler, SA_RESTART); }
Handler own_sysv_signal(int number, Handler handler) {
    return set_handler(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}
int own_siginterrupt(int /*number*/, int /*flag*/) { return 0; }
// Faults are found on a stack of ours.
int own_sigaltstack(const stack_t* wanted, stack_t* before) {
    if (child::here) return ::sigaltstack(wanted, before);
    if (before != nullptr) {
        *before = {};
        before->ss_flags = SS_DISABLE;
    }
    return 0;
}

int change_mask(int how, const sigset_t* set, sigset_t* before) {
    SignalState& mine = signals::own();
    const std::uint64_t was = mine.blocked;
    if (set != nullptr) {
        const std::uint64_t wanted = signals::bits(*set);
        if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
        mine.blocked = how == SIG_SETMASK ? wanted : how == SIG_BLOCK ? was | wanted : was & ~wanted;
        mine.blocked &= ~(signals::bit(SIGKILL) | signals::bit(SIGSTOP));
        (void)signals::deliver_pending();
    }
    if (before != nullptr) *before = signals::set_of(was);
    return 0;
}
int own_sigprocmask(int how, const sigset_t* set, sigset_t* before) {
    if (child::here) return ::sigprocmask(how, set, before);
    const int error = change_mask(how, set, before);
    if (error != 0) errno = error;
    return error == 0 ? 0 : -1;
}
int own_pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
    return child::here ? ::pthread_sigmask(how, set, before) : change_mask(how, set, before);
}
int own_sigpending(sigset_t* set) {
    if (child::here) return ::sigpending(set);
    *set = signals::set_of(signals::own().pending);
    return 0;
}

int send_own(int number) {
    if (number == 0) return 0;
    if (!good_signal(number)) return -1;
    (void)signals::send(number);
    return 0;
}
int own_raise(int number) { return child::here ? ::raise(number) : send_own(number); }
// The process number is that of all ranks: who sends to it means itself.
int own_kill(pid_t process, int number) {
    if (child::here) return ::kill(process, number);
    if (process == getpid()) return send_own(number);
    if (number != 0 && (process == 0 || process == -1 || process == -getpgrp()))
        world::abort(1, fmt::format("rank {} calls kill({}, {}): that would reach the simulator and what has "
                                    "started it",
                                    self().index, process, number));
    return ::kill(process, number);
}
int own_killpg(pid_t group, int number) {
    if (child::here) return ::killpg(group, number);
    return own_kill(group == 0 ? 0 : -group, number);
}
int own_tgkill(pid_t process, pid_t thread, int number) {
    if (child::here || process != getpid()) return ::tgkill(process, thread, number);
    return send_own(number);
}
int own_pthread_kill(pthread_t thread, int number) {
    if (child::here) return ::pthread_kill(thread, number);
    return number < 0 || number >= NSIG ? EINVAL : send_own(number);
}
int own_sigqueue(pid_t process, int number, sigval value) {
    if (child::here || process != getpid()) return ::sigqueue(process, number, value);
    if (number == 0) return 0;
    if (!good_signal(number)) return -1;
    (void)signals::send(number, value);
    return 0;
}

int interrupted() {
    errno = EINTR;
    return -1;
}
int own_pause() {
    if (child::here) return ::pause();
    (void)signals::suspend("pause", signals::own().blocked, 0);
    return interrupted();
}
int own_sigsuspend(const sigset_t* mask) {
    if (child::here) return ::sigsuspend(mask);
    (void)signals::suspend("sigsuspend", signals::bits(*mask), 0);
    return interrupted();
}
int own_sigwait(const sigset_t* set, int* number) {
    if (child::here) return ::sigwait(set, number);
    *number = signals::suspend("sigwait", signals::own().blocked, signals::bits(*set));
    return 0;
}
int own_sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* limit) {
    if (child::here) return ::sigtimedwait(set, info, limit);
    Time deadline = Time::max();
    if (limit != nullptr) {
        if (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec > 999'999'999) return invalid_signal();
        deadline = world::time() + duration_of(limit->tv_sec, limit->tv_nsec);
    }
    const int number = signals::suspend("sigtimedwait", signals::own().blocked, signals::bits(*set), deadline);
    if (number == 0) {
        errno = EAGAIN;
        return -1;
    }
    if (info != nullptr) {
        *info = {};
        info->si_signo = number;
        info->si_pid = getpid();
    }
    return number;
}
int own_sigwaitinfo(const sigset_t* set, siginfo_t* info) { return own_sigtimedwait(set, info, nullptr); }

} // namespace

std::span<const Symbol> signal_symbols() {
    static const Symbol all[] = {
        bound("signal", own_signal),
        bound("bsd_signal", own_signal),
        bound("ssignal", own_signal),
        bound("sysv_signal", own_sysv_signal),
        bound("__sysv_signal", own_sysv_signal),
        bound("sigset", own_signal),
        bound("sigaction", own_sigaction),
        bound("siginterrupt", own_siginterrupt),
        bound("sigaltstack", own_sigaltstack),
        bound("sigprocmask", own_sigprocmask),
        bound("pthread_sigmask", own_pthread_sigmask),
        bound("sigpending", own_sigpending),
        bound("raise", own_raise),
        bound("gsignal", own_raise),
        bound("kill", own_kill),
        bound("killpg", own_killpg),
        bound("tgkill", own_tgkill),
        bound("pthread_kill", own_pthread_kill),
        bound("sigqueue", own_sigqueue),
        bound("pause", own_pause),
        bound("sigsuspend", own_sigsuspend),
        bound("sigwait", own_sigwait),
        bound("sigtimedwait", own_sigtimedwait),
        bound("sigwaitinfo", own_sigwaitinfo),
    };
    return all;
}

} // namespace orrery::emulate
