#include "engine/cpu/clock.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define ORRERY_HAS_RSEQ 1
#endif
#endif

namespace orrery::trace {

bool detail::ticks_are_tsc = false;

namespace {

double tick_nanoseconds = 1;

constexpr std::int64_t calibration_nanoseconds = 2'000'000;
// How long a base may serve: a system call each 200 us is a quarter of a per cent of the time at most.
constexpr double base_nanoseconds = 200e3;
// CPU time that lags behind the counter by more than this was taken by a hypervisor; the counter's rate is
// known to some 1e-4.
constexpr double least_robbed_nanoseconds = 2e3;
constexpr double rate_error = 1e-3;

struct Pair {
    std::uint64_t tick = 0;
    std::int64_t nanoseconds = 0;
};

// The tick in the middle of a reading of the clock; of a few, the one that took the least.
Pair tick_and(clockid_t clock) noexcept {
    Pair best;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 5; ++i) {
        const std::uint64_t first = ticks();
        const std::int64_t nanoseconds = nanoseconds_of(clock);
        const std::uint64_t width = ticks() - first;
        if (width < least) {
            least = width;
            best = {first + width / 2, nanoseconds};
        }
    }
    return best;
}

#if defined(__x86_64__)
// The counter runs at one rate in all power states (CPUID 80000007h, EDX bit 8), and the kernel has not found
// the counters of the cores to disagree: then it uses another clock.
bool tsc_is_invariant() noexcept {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(0x80000007U, &a, &b, &c, &d) == 0 || (d & (1U << 8U)) == 0) {
        return false;
    }
    std::FILE* const file =
        std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (file == nullptr) {
        return true;
    }
    char source[32] = {};
    const bool read = std::fgets(source, sizeof source, file) != nullptr;
    std::fclose(file);
    return !read || (std::strncmp(source, "hpet", 4) != 0 && std::strncmp(source, "acpi_pm", 7) != 0 &&
                     std::strncmp(source, "jiffies", 7) != 0);
}
#endif

} // namespace

std::int64_t nanoseconds_of(clockid_t clock) noexcept {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void start_ticks(bool tsc) noexcept {
    detail::ticks_are_tsc = false;
    tick_nanoseconds = 1;
#if defined(__x86_64__)
    if (!tsc || !tsc_is_invariant()) {
        return;
    }
    detail::ticks_are_tsc = true;
    const Pair first = tick_and(CLOCK_MONOTONIC_RAW);
    Pair last;
    do {
        last = tick_and(CLOCK_MONOTONIC_RAW);
    } while (last.nanoseconds - first.nanoseconds < calibration_nanoseconds);
    tick_nanoseconds =
        static_cast<double>(last.nanoseconds - first.nanoseconds) / static_cast<double>(last.tick - first.tick);
#else
    static_cast<void>(tsc);
#endif
}

double nanoseconds_per_tick() noexcept { return tick_nanoseconds; }

#if defined(ORRERY_HAS_RSEQ)

namespace {

// Where the kernel would continue after an interrupted critical section. It never does, since ours is empty,
// but it insists on the signature before it (and kills the process without).
alignas(8) std::uint32_t landing[2] = {RSEQ_SIG, 0};
alignas(32) struct rseq_cs descriptor = {};

std::uint64_t armed_value() noexcept {
    static const std::uint64_t address = [] {
        descriptor.start_ip = 1;
        descriptor.post_commit_offset = 1;
        descriptor.abort_ip = reinterpret_cast<std::uintptr_t>(&landing[1]);
        return reinterpret_cast<std::uintptr_t>(&descriptor);
    }();
    return address;
}

volatile std::uint64_t* sequence_of_thread() noexcept {
    if (__rseq_size == 0) {
        return nullptr;
    }
    char* thread = nullptr;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return reinterpret_cast<volatile std::uint64_t*>(thread + __rseq_offset + offsetof(struct rseq, rseq_cs));
}

} // namespace

bool switches_are_told() noexcept {
    static const bool told = [] {
        volatile std::uint64_t* const sequence = sequence_of_thread();
        if (sequence == nullptr) {
            return false;
        }
        // A sleep so short may be over before it has begun: then once more.
        bool cleared = false;
        for (int attempt = 0; attempt < 5 && !cleared; ++attempt) {
            *sequence = armed_value();
            const timespec moment{0, 1000L << (2 * attempt)};
            nanosleep(&moment, nullptr);
            cleared = *sequence == 0;
        }
        *sequence = 0;
        return cleared;
    }();
    return told && detail::ticks_are_tsc;
}

void CpuClock::start() noexcept {
    sequence_ = sequence_of_thread();
    armed_ = armed_value();
    scale_ = tick_nanoseconds;
    renewal_ = static_cast<std::uint64_t>(base_nanoseconds / scale_);
    renew();
}

void CpuClock::stop() noexcept {
    if (sequence_ != nullptr && untouched()) {
        *sequence_ = 0;
    }
}

#else

bool switches_are_told() noexcept { return false; }
void CpuClock::start() noexcept {}
void CpuClock::stop() noexcept {}

#endif

const char* why_no_fast_clock() noexcept {
    start_ticks();
    if (!detail::ticks_are_tsc) {
        return "the CPU has no time stamp counter of one rate, so the kernel is asked at each call";
    }
    if (!switches_are_told()) {
        return "neither the C library nor the kernel tells a thread that it was switched out (rseq, glibc 2.35 "
               "and later), so the kernel is asked at each call";
    }
    return "";
}

// The moment that the kernel's figure belongs to is the middle of the system call, unless an interrupt made it
// longer than usual: then once more.
std::uint64_t CpuClock::renew() noexcept {
    const Reading old = base_;
    const bool switched = !untouched();
    for (int attempt = 0;; ++attempt) {
        *sequence_ = armed_;
        const std::uint64_t first = ticks();
        base_.value = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
        const std::uint64_t width = ticks() - first;
        base_.ticks = first + width / 2;
        shortest_ = std::min(shortest_, width);
        if (untouched() && (width <= 2 * shortest_ || attempt >= 3)) {
            const auto elapsed = static_cast<double>(base_.ticks - old.ticks) * scale_;
            const double robbed = elapsed - static_cast<double>(base_.value - old.value);
            if (switched || robbed > least_robbed_nanoseconds + elapsed * rate_error) {
                ++disturbances_;
            }
            return first;
        }
    }
}

Timeline::Moment Timeline::now() noexcept {
    const Pair pair = tick_and(CLOCK_MONOTONIC);
    return {pair.tick, pair.nanoseconds};
}

void Timeline::begin() noexcept { origin_ = older_ = old_ = new_ = now(); }

void Timeline::mark() noexcept {
    older_ = old_;
    old_ = new_;
    new_ = now();
}

std::int64_t Timeline::nanoseconds(std::uint64_t tick) const noexcept {
    const bool late = tick >= old_.tick;
    const Moment& from = late ? old_ : older_;
    const Moment& to = late ? new_ : old_;
    const auto since = static_cast<double>(static_cast<std::int64_t>(tick - from.tick));
    const double slope = to.tick > from.tick ? static_cast<double>(to.nanoseconds - from.nanoseconds) /
                                                   static_cast<double>(to.tick - from.tick)
                                             : tick_nanoseconds;
    return from.nanoseconds - origin_.nanoseconds + static_cast<std::int64_t>(since * slope);
}

} // namespace orrery::trace
