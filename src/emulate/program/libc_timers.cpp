// Timers of a rank: they run in simulated time. In a child process they are the system's.
#include "emulate/program/child.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/libc_time.h"
#include "emulate/program/signals.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

int bad_timer() {
    errno = EINVAL;
    return -1;
}
Time time_left(const RankTimer& timer) {
    return timer.expires == Time::max() ? Time::zero() : std::max(timer.expires - world::time(), Time::tick());
}
void arm(RankTimer& timer, Time first, Time every) {
    signals::set_timer(timer, first == Time::zero() ? Time::max() : world::time() + first, every);
}

timeval timeval_of(Time time) {
    const std::int64_t us = (time + Time::ps(999'999)).whole_ns() / 1000;
    return {us / 1'000'000, us % 1'000'000};
}
timespec timespec_of(Time time) {
    const std::int64_t ns = (time + Time::ps(999)).whole_ns();
    return {ns / 1'000'000'000, ns % 1'000'000'000};
}

RankTimer& interval_timer(int which) {
    RankTimer& timer = signals::own().timers[static_cast<std::size_t>(which)];
    timer.signal = which == ITIMER_REAL ? SIGALRM : which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
    return timer;
}
int own_getitimer(int which, itimerval* value) {
    if (child::here) return ::getitimer(static_cast<__itimer_which>(which), value);
    if (which < ITIMER_REAL || which > ITIMER_PROF) return bad_timer();
    const RankTimer& timer = interval_timer(which);
    *value = {timeval_of(timer.every), timeval_of(time_left(timer))};
    return 0;
}
int own_setitimer(int which, const itimerval* wanted, itimerval* before) {
    if (child::here) return ::setitimer(static_cast<__itimer_which>(which), wanted, before);
    if (which < ITIMER_REAL || which > ITIMER_PROF) return bad_timer();
    if (before != nullptr) (void)own_getitimer(which, before);
    const auto duration = [](const timeval& value) { return duration_of(value.tv_sec, value.tv_usec * 1000); };
    arm(interval_timer(which), duration(wanted->it_value), duration(wanted->it_interval));
    return 0;
}
unsigned int own_alarm(unsigned int seconds) {
    if (child::here) return ::alarm(seconds);
    RankTimer& timer = interval_timer(ITIMER_REAL);
    constexpr std::int64_t whole = 1'000'000'000; // a second
    const std::int64_t left = (time_left(timer) + Time::ps(999'999'999'999)).whole_ns() / whole;
    arm(timer, duration_of(seconds, 0), Time::zero());
    return static_cast<unsigned int>(left);
}
useconds_t own_ualarm(useconds_t first, useconds_t every) {
    if (child::here) return ::ualarm(first, every);
    RankTimer& timer = interval_timer(ITIMER_REAL);
    const std::int64_t left = (time_left(timer) + Time::ps(999'999)).whole_ns() / 1000;
    arm(timer, Time::us(first), Time::us(every));
    return static_cast<useconds_t>(left);
}

// A number where the C library has a pointer.
RankTimer* made_timer(timer_t handle) {
    const int number = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
    for (RankTimer& timer : signals::own().timers)
        if (timer.number == number && number > 0) return &timer;
    return nullptr;
}
int own_timer_create(clockid_t clock, sigevent* event, timer_t* made) {
    if (child::here) return ::timer_create(clock, event, made);
    SignalState& mine = signals::own();
    RankTimer timer;
    timer.number = ++mine.last_timer;
    timer.signal = event == nullptr ? SIGALRM : event->sigev_notify == SIGEV_NONE ? 0 : event->sigev_signo;
    timer.value.sival_int = timer.number;
    if (event != nullptr) timer.value = event->sigev_value;
    if (event != nullptr && event->sigev_notify == SIGEV_THREAD) timer.function = event->sigev_notify_function;
    if (timer.signal < 0 || timer.signal >= NSIG) return bad_timer();
    mine.timers.push_back(timer);
    *made = reinterpret_cast<timer_t>(static_cast<std::intptr_t>(timer.number));
    return 0;
}
int own_timer_delete(timer_t handle) {
    if (child::here) return ::timer_delete(handle);
    RankTimer* const timer = made_timer(handle);
    if (timer == nullptr) return bad_timer();
    signals::set_timer(*timer, Time::max(), Time::zero());
    timer->number = 0; // its place stays: a handler may be running over the list
    return 0;
}
int own_timer_gettime(timer_t handle, itimerspec* value) {
    if (child::here) return ::timer_gettime(handle, value);
    const RankTimer* const timer = made_timer(handle);
    if (timer == nullptr) return bad_timer();
    *value = {timespec_of(timer->every), timespec_of(time_left(*timer))};
    return 0;
}
int own_timer_settime(timer_t handle, int flags, const itimerspec* wanted, itimerspec* before) {
    if (child::here) return ::timer_settime(handle, flags, wanted, before);
    RankTimer* const timer = made_timer(handle);
    if (timer == nullptr) return bad_timer();
    if (before != nullptr) (void)own_timer_gettime(handle, before);
    const auto duration = [](const timespec& value) { return duration_of(value.tv_sec, value.tv_nsec); };
    const Time first = duration(wanted->it_value);
    const Time every = duration(wanted->it_interval);
    if ((flags & TIMER_ABSTIME) != 0 && first != Time::zero())
        signals::set_timer(*timer, std::max(first, world::time()), every);
    else
        arm(*timer, first, every);
    return 0;
}
int own_timer_getoverrun(timer_t handle) {
    if (child::here) return ::timer_getoverrun(handle);
    const RankTimer* const timer = made_timer(handle);
    return timer == nullptr ? bad_timer() : timer->overruns;
}
int own_timerfd_create(int clock, int /*flags*/) {
    world::abort(1,
                 fmt::format("rank {} calls timerfd_create (clock {}), which runs in real time; timer_create "
                             "and setitimer run in simulated time",
                             self().index, clock));
}

} // namespace

std::span<const Symbol> timer_symbols() {
    static const Symbol all[] = {
        bound("alarm", own_alarm),
        bound("ualarm", own_ualarm),
        bound("getitimer", own_getitimer),
        bound("setitimer", own_setitimer),
        bound("timer_create", own_timer_create),
        bound("timer_delete", own_timer_delete),
        bound("timer_gettime", own_timer_gettime),
        bound("timer_settime", own_timer_settime),
        bound("timer_getoverrun", own_timer_getoverrun),
        bound("timerfd_create", own_timerfd_create),
    };
    return all;
}

} // namespace orrery::emulate
