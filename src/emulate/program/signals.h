// The signals of a rank: its handlers, what it blocks, and timers that send it signals in simulated time.
//
// All ranks are one process of the system, whose signals would reach any of them. So what a rank sends itself
// (raise, kill with its own number, abort, a timer) stays within it: its handler is called on its own context.
// A timer is looked at whenever the rank comes out of a call that knows simulated time, and while it computes
// (rank_ticks.h).
#pragma once

#include "engine/time.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <vector>

namespace orrery::emulate {

struct RankTimer {
    int number = -1; // of timer_create; -1: of setitimer and alarm
    int signal = 0;  // 0: none is sent
    void (*function)(sigval) = nullptr;
    sigval value{};
    Time expires = Time::max(); // max: it is not armed
    Time every;                 // zero: once
    int overruns = 0;
};

struct SignalState {
    struct RunningHandler {
        const void* frame;
        std::uint64_t blocked; // before
    };
    std::array<struct sigaction, NSIG> actions{};
    std::uint64_t blocked = 0, pending = 0; // a bit for each signal
    std::vector<RankTimer> timers{3}; // ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF, then those of timer_create
    std::vector<RunningHandler> handlers; // innermost last
    int last_timer = 0;
};

namespace signals {

// The number of timers that are armed, and one more if something waits for a safe point: 0 for most programs.
extern std::uint32_t armed;

// Called at the end of a rank's call of MPI while `armed` is not 0; null: nothing.
extern void (*at_safe_point)();

// Of the rank that runs; made if there is none.
SignalState& own();
std::uint64_t bit(int number);
std::uint64_t bits(const sigset_t& set);
sigset_t set_of(std::uint64_t bits);

// In its own code. Sends the rank a signal: its handler is called now, or when it unblocks the signal. True if
// a handler has been called.
bool send(int number, sigval value = {});
bool deliver_pending();
void set_timer(RankTimer& timer, Time expires, Time every);
bool check_timers(Time now); // true if a handler has been called
Time next_expiry();
// Waits for a handler to be called while `blocked` is blocked; or, if `awaited` has any, for one of those,
// which is returned instead of being handled. 0: the deadline has passed.
int suspend(const char* call, std::uint64_t blocked, std::uint64_t awaited, Time deadline = Time::max());

// The rank has a handler for a fault, which is called. False: it has none.
bool handle_fault(int number, siginfo_t* info, void* context);

// Writing to a pipe that nobody reads is a signal of the system: it is for the rank that writes.
void watch_pipes();

// In a child process: what the rank has set holds for the system's signals.
void become_real();

} // namespace signals

} // namespace orrery::emulate
