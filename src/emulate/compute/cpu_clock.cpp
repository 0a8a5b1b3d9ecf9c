#include "emulate/compute/cpu_clock.h"

#include <cstddef>
#include <cstring>
#include <ctime>
#include <fstream>
#include <linux/rseq.h>
#include <string>
#include <x86intrin.h>

// Of glibc 2.35 and later; null where they are missing.
extern "C" {
extern const std::ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
}

namespace orrery::emulate {

namespace {

double read_clock(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The counter runs evenly, whatever the CPU does: both words stand in the flags of every core.
bool steady_counter() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("flags"))
            return line.find(" constant_tsc") != std::string::npos &&
                   line.find(" nonstop_tsc") != std::string::npos;
    }
    return false;
}

// Over 10 ms: an error of 100 ns in either reading is one of 1e-5.
double measure_tick() {
    static const double ns = [] {
        const double from = read_clock(CLOCK_MONOTONIC_RAW);
        const std::uint64_t ticks = __rdtsc();
        double to = from;
        while (to - from < 1e7) to = read_clock(CLOCK_MONOTONIC_RAW);
        return (to - from) / static_cast<double>(__rdtsc() - ticks);
    }();
    return ns;
}

// A critical section of one byte, which is data and never executed. The kernel wants its signature before the
// place where an interrupted section would go on.
struct NeverEntered {
    alignas(32) rseq_cs section{};
    std::uint32_t place[4]{};

    NeverEntered() {
        constexpr std::uint32_t signature = 0x53053053; // RSEQ_SIG of x86-64
        place[2] = signature;
        section.start_ip = reinterpret_cast<std::uint64_t>(&place[0]);
        section.post_commit_offset = 1;
        section.abort_ip = reinterpret_cast<std::uint64_t>(&place[3]);
    }
};

} // namespace

CpuClock::CpuClock() {
    static const bool usable = &__rseq_size != nullptr && __rseq_size > 0 && steady_counter();
    if (usable) {
        static const NeverEntered never;
        auto* const area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
        watched_ = reinterpret_cast<volatile std::uint64_t*>(area + offsetof(rseq, rseq_cs));
        token_ = reinterpret_cast<std::uint64_t>(&never.section);
        ns_per_tick_ = measure_tick();
        anchor();
    }
    mark();
}

void CpuClock::ask_the_system() {
    watched_ = nullptr;
    mark();
}

// Set first: an interruption while the clocks are read shows as one.
void CpuClock::anchor() {
    *watched_ = token_;
    anchor_ns_ = read_clock(CLOCK_THREAD_CPUTIME_ID);
    anchor_ticks_ = __rdtsc();
}

void CpuClock::mark() {
    if (watched_ == nullptr) {
        mark_ns_ = read_clock(CLOCK_THREAD_CPUTIME_ID);
        return;
    }
    const std::uint64_t ticks = __rdtsc();
    if (undisturbed()) {
        mark_ns_ = anchor_ns_ + static_cast<double>(ticks - anchor_ticks_) * ns_per_tick_;
        return;
    }
    anchor();
    mark_ns_ = anchor_ns_;
}

double CpuClock::since_mark() {
    double now = 0;
    if (watched_ == nullptr) {
        now = read_clock(CLOCK_THREAD_CPUTIME_ID);
    } else {
        const std::uint64_t ticks = __rdtsc();
        if (undisturbed()) {
            now = anchor_ns_ + static_cast<double>(ticks - anchor_ticks_) * ns_per_tick_;
        } else {
            anchor();
            now = anchor_ns_;
        }
    }
    return now > mark_ns_ ? now - mark_ns_ : 0;
}

} // namespace orrery::emulate
