// Clocks show simulated time, which starts at 0 (1970-01-01 00:00:00 UTC); sleeping passes simulated time.
// Clocks of processor time show the same.
#include "emulate/program/libc_time.h"

#include "emulate/program/child.h"
#include "emulate/program/libc_state.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/signals.h"
#include "emulate/program/threads.h"
#include "emulate/program/world.h"
#include "engine/time_text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

constexpr std::int64_t second = 1'000'000'000; // in nanoseconds

std::int64_t now_ns() { return world::now().whole_ns(); }

timespec as_timespec(Time time) { return {time.whole_ns() / second, time.whole_ns() % second}; }
timeval as_timeval(Time time) { return {time.whole_ns() / second, time.whole_ns() % second / 1000}; }
// Of what the rank sleeps: a longer one would never end.
Time slept(const char* call, std::int64_t seconds, std::int64_t nanoseconds) {
    if (seconds >= Time::longest().whole_ns() / second)
        world::abort(1,
                     fmt::format("rank {} calls {} for {} s, which takes longer than {}, the longest time that "
                                 "can be simulated",
                                 self().index, call, seconds, longest_in_words()));
    return duration_of(seconds, nanoseconds);
}

// Other threads of the rank run meanwhile.
void sleep_until(Time end) {
    if (Threads* const threads = self().libc->threads.get(); threads != nullptr && !threads->alone()) {
        (void)threads->wait(
            "sleep", [](Thread& /*thread*/) { return false; }, nullptr, end);
    } else if (const Time now = world::time(); end > now) {
        world::sleep(end - now);
    }
}
// What is left when a handler of a signal has been called; otherwise zero.
Time sleep_for(Time duration) {
    if (duration <= Time::zero()) return Time::zero();
    const Time end = world::time() + duration;
    while (signals::armed > 0 && !child::here && signals::next_expiry() <= end) {
        sleep_until(signals::next_expiry());
        if (signals::check_timers(world::time())) return std::max(end - world::time(), Time::zero());
    }
    sleep_until(end);
    return Time::zero();
}
int sleep_or_interrupt(Time duration) {
    if (sleep_for(duration) == Time::zero()) return 0;
    errno = EINTR;
    return -1;
}

std::time_t own_time(std::time_t* out) {
    const std::time_t t = now_ns() / second;
    if (out != nullptr) *out = t;
    return t;
}
int own_gettimeofday(timeval* out, void* zone) {
    if (out != nullptr) *out = as_timeval(world::now());
    if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
    return 0;
}
int own_clock_gettime(clockid_t, timespec* out) {
    *out = as_timespec(world::now());
    return 0;
}
int own_clock_getres(clockid_t, timespec* out) {
    if (out != nullptr) *out = {0, 1};
    return 0;
}
int own_timespec_get(timespec* out, int base) {
    if (base == TIME_UTC) *out = as_timespec(world::now());
    return base;
}
std::clock_t own_clock() { return now_ns() / 1000; }
std::clock_t own_times(tms* out) {
    const std::clock_t ticks = now_ns() / (second / sysconf(_SC_CLK_TCK));
    if (out != nullptr) *out = {ticks, 0, 0, 0};
    return ticks;
}
int own_ftime(timeb* out) {
    *out = {};
    const std::int64_t ns = now_ns();
    out->time = ns / second;
    out->millitm = static_cast<unsigned short>(ns % second / 1'000'000);
    return 0;
}
int own_getrusage(int who, rusage* out) {
    const int result = getrusage(static_cast<__rusage_who>(who), out);
    out->ru_utime = as_timeval(world::now());
    out->ru_stime = {};
    return result;
}

unsigned int own_sleep(unsigned int seconds) {
    return static_cast<unsigned int>((sleep_for(slept("sleep", seconds, 0)).whole_ns() + second / 2) / second);
}
int own_usleep(useconds_t microseconds) { return sleep_or_interrupt(Time::us(microseconds)); }
int sleep_on_clock(const char* call, int flags, const timespec* wanted, timespec* left) {
    if (wanted->tv_sec < 0 || wanted->tv_nsec < 0 || wanted->tv_nsec > 999'999'999) return EINVAL;
    const Time time = slept(call, wanted->tv_sec, wanted->tv_nsec);
    const bool until = (flags & TIMER_ABSTIME) != 0;
    const Time rest = sleep_for(until ? time - world::now() : time);
    if (left != nullptr && !until) *left = as_timespec(rest);
    return rest == Time::zero() ? 0 : EINTR;
}
int own_clock_nanosleep(clockid_t, int flags, const timespec* wanted, timespec* left) {
    return sleep_on_clock("clock_nanosleep", flags, wanted, left);
}
int own_nanosleep(const timespec* wanted, timespec* left) {
    const int error = sleep_on_clock("nanosleep", 0, wanted, left);
    if (error == 0) return 0;
    errno = error;
    return -1;
}
// Waiting for nothing but time is sleeping; anything else asks the system.
int own_select(int count, fd_set* in, fd_set* out, fd_set* error, timeval* limit) {
    if (count != 0 || limit == nullptr) return select(count, in, out, error, limit);
    return sleep_or_interrupt(slept("select", limit->tv_sec, limit->tv_usec * 1000));
}
int own_poll(pollfd* all, nfds_t count, int milliseconds) {
    if (count != 0 || milliseconds < 0) return poll(all, count, milliseconds);
    return sleep_or_interrupt(Time::us(std::int64_t{milliseconds} * 1000));
}

double own_omp_get_wtime() { return world::now().seconds(); }
double own_omp_get_wtick() { return 1e-9; }
std::int64_t own_chrono_now() { return now_ns(); }

} // namespace

Time duration_of(std::int64_t seconds, std::int64_t nanoseconds) {
    return Time::of_clock(std::min(seconds, Time::longest().whole_ns() / second), nanoseconds);
}

std::span<const Symbol> time_symbols() {
    static const Symbol all[] = {
        bound("time", own_time),
        bound("gettimeofday", own_gettimeofday),
        bound("clock_gettime", own_clock_gettime),
        bound("clock_getres", own_clock_getres),
        bound("timespec_get", own_timespec_get),
        bound("clock", own_clock),
        bound("times", own_times),
        bound("ftime", own_ftime),
        bound("getrusage", own_getrusage),
        bound("sleep", own_sleep),
        bound("usleep", own_usleep),
        bound("nanosleep", own_nanosleep),
        bound("clock_nanosleep", own_clock_nanosleep),
        bound("select", own_select),
        bound("poll", own_poll),
        bound("omp_get_wtime", own_omp_get_wtime),
        bound("omp_get_wtime_", own_omp_get_wtime),
        bound("omp_get_wtick", own_omp_get_wtick),
        bound("omp_get_wtick_", own_omp_get_wtick),
        bound("_ZNSt6chrono3_V212system_clock3nowEv", own_chrono_now),
        bound("_ZNSt6chrono3_V212steady_clock3nowEv", own_chrono_now),
    };
    return all;
}

} // namespace orrery::emulate
