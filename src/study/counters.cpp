#include "study/counters.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace orrery {

namespace {

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

bool invariant_time_stamps() {
#if defined(__x86_64__)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(0x8000'0007, &a, &b, &c, &d) != 0 && (d & (1U << 8U)) != 0;
#else
    return false;
#endif
}

// glibc 2.35 and later register the area for every thread and tell its size.
bool restartable_sequences() {
    const auto* const size = static_cast<const unsigned*>(::dlsym(RTLD_DEFAULT, "__rseq_size"));
    return size != nullptr && *size != 0;
}

} // namespace

CounterFinding instruction_counter() {
    perf_event_attr wanted{};
    wanted.type = PERF_TYPE_HARDWARE;
    wanted.size = sizeof wanted;
    wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    const long descriptor = ::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0UL);
    if (descriptor >= 0) {
        ::close(static_cast<int>(descriptor));
        return {true, "the kernel counts the instructions of a program (perf_event)"};
    }
    const int reason = errno;
    if (reason == EACCES || reason == EPERM) {
        const std::string level = first_line("/proc/sys/kernel/perf_event_paranoid");
        return {false, fmt::format("the kernel does not allow it (kernel.perf_event_paranoid is {}); as root: "
                                   "sysctl kernel.perf_event_paranoid=2",
                                   level.empty() ? "not readable" : level)};
    }
    if (reason == ENOENT || reason == EOPNOTSUPP || reason == ENODEV) {
        return {false, "the CPU shows no instruction counter, as is usual in a virtual machine"};
    }
    return {false, fmt::format("the kernel says: {}", std::strerror(reason))};
}

CounterFinding fast_cpu_clock() {
    if (!invariant_time_stamps()) {
        return {false, "the CPU has no time stamp counter of one rate, so the kernel is asked at each call"};
    }
    if (!restartable_sequences()) {
        return {false,
                "the C library registers no rseq area (glibc 2.35 and later do), so the kernel is asked at "
                "each call"};
    }
    return {true, "invariant time stamp counter, and rseq tells when a thread was interrupted"};
}

} // namespace orrery
