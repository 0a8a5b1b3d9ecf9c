// Time as cheaply as this machine allows: a tick of the processor's time stamp counter, and the CPU time of a
// thread derived from it.
//
// The system call for a thread's CPU time takes some 500 ns, ten times what all the rest of recording a call
// takes. As long as a thread is not switched out, its CPU time goes on with the time stamp counter; so it is
// enough to know whether it was. The kernel tells that through the restartable-sequences area that glibc
// registers for each thread: the address of a descriptor stored there is cleared by the kernel when the thread
// is switched out or takes a signal (that is meant for the descriptor's critical section; ours is empty). Found
// untouched: CPU time = base + ticks since. Found cleared: the system call, a new base, the address again.
//
// A hypervisor that gives the processor to another virtual machine does not tell: the counter goes on, but the
// kernel, which learns of it afterwards, counts that time for nobody. So a base serves for 200 us at most:
// what is taken from us without our knowing is shorter than that, whatever we read.
//
// Where the counter is not invariant, or glibc or the kernel has no such area, every reading is a system call.
#pragma once

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace orrery::trace {

std::int64_t nanoseconds_of(clockid_t clock) noexcept;

// Whether ticks are those of the time stamp counter; otherwise they are nanoseconds of CLOCK_MONOTONIC.
namespace detail {
extern bool ticks_are_tsc;
}
// At begin(), before any other of these. Measures the rate of the counter: takes about 2 ms. Without `tsc` the
// counter is not used even where it could be.
void start_ticks(bool tsc = true) noexcept;
double nanoseconds_per_tick() noexcept;

inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    if (detail::ticks_are_tsc) [[likely]] {
        return __rdtsc();
    }
#endif
    return static_cast<std::uint64_t>(nanoseconds_of(CLOCK_MONOTONIC));
}

// A moment and what was counted until then.
struct Reading {
    std::uint64_t ticks = 0;
    std::int64_t value = 0;
};

// Whether CpuClock works here; tried out once (it sleeps for a moment).
bool switches_are_told() noexcept;

// Why it does not, in words; empty if it does. Calls start_ticks().
const char* why_no_fast_clock() noexcept;

// CPU time of the thread that calls start(), in nanoseconds. Used by that thread only.
class CpuClock {
  public:
    void start() noexcept;
    void stop() noexcept; // leaves nothing behind for the kernel to look at
    // As of the call and as of the return: what the reading itself costs lies after and before.
    Reading before() noexcept {
        const std::uint64_t now = ticks();
        return serves(now) ? at(now) : at(renew());
    }
    Reading after() noexcept {
        for (;;) {
            const std::uint64_t now = ticks();
            if (serves(now)) [[likely]] {
                return at(now);
            }
            renew();
        }
    }
    // How often, until the last reading, the thread was found to have been switched out or robbed of its core
    // by a hypervisor that reports it. Equal counts of two readings: neither is known of the time between them.
    [[nodiscard]] std::uint32_t disturbances() const noexcept { return disturbances_; }

  private:
    [[nodiscard]] bool untouched() const noexcept { return *sequence_ == armed_; }
    [[nodiscard]] bool serves(std::uint64_t now) const noexcept {
        return untouched() && now - base_.ticks < renewal_;
    }
    [[nodiscard]] Reading at(std::uint64_t now) const noexcept {
        // Of a signed difference: the base of a renewal lies just after `now`.
        const auto since = static_cast<std::int64_t>(now - base_.ticks);
        return {now, base_.value + static_cast<std::int64_t>(static_cast<double>(since) * scale_)};
    }
    std::uint64_t renew() noexcept; // the tick before the system call

    volatile std::uint64_t* sequence_ = nullptr;
    std::uint64_t armed_ = 0;
    Reading base_;
    std::uint32_t disturbances_ = 0;
    std::uint64_t renewal_ = 0;                  // ticks after which an untouched base is renewed all the same
    std::uint64_t shortest_ = ~std::uint64_t{0}; // ticks of a system call
    double scale_ = 1;
};

// Ticks into nanoseconds since the beginning: a line through each two of the moments at which both clocks were
// read. Every tick that is asked for lies between the moments before the last two mark()s and the last one.
class Timeline {
  public:
    void begin() noexcept;
    void mark() noexcept;
    [[nodiscard]] std::int64_t nanoseconds(std::uint64_t tick) const noexcept;

  private:
    struct Moment {
        std::uint64_t tick = 0;
        std::int64_t nanoseconds = 0;
    };
    static Moment now() noexcept;
    Moment origin_, older_, old_, new_;
};

} // namespace orrery::trace
