#include "engine/cpu/counter_perf.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace orrery::trace {

namespace {

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

} // namespace

int PerfEvent::open(std::uint32_t type, std::uint64_t config) noexcept {
    close();
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = type;
    wanted.config = config;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    // All the time or not at all: never a share that would have to be scaled up.
    wanted.pinned = type == PERF_TYPE_HARDWARE ? 1 : 0;
    const long opened = syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (opened < 0) {
        return errno;
    }
    descriptor_ = static_cast<int>(opened);
    void* const page = mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, descriptor_, 0);
    page_ = page == MAP_FAILED ? nullptr : static_cast<const perf_event_mmap_page*>(page);
    return 0;
}

int PerfEvent::open_instructions() noexcept { return open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS); }

void PerfEvent::close() noexcept {
    if (page_ != nullptr) {
        munmap(const_cast<perf_event_mmap_page*>(page_), page_bytes());
        page_ = nullptr;
    }
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
}

bool PerfEvent::in_user_mode() const noexcept {
#if defined(__x86_64__)
    return page_ != nullptr && page_->cap_user_rdpmc != 0;
#else
    return false;
#endif
}

std::uint64_t PerfEvent::read_by_system_call() const noexcept {
    std::uint64_t value = 0;
    return ::read(descriptor_, &value, sizeof value) == sizeof value ? value : 0;
}

std::uint64_t PerfEvent::read() const noexcept {
#if defined(__x86_64__)
    if (!in_user_mode()) {
        return read_by_system_call();
    }
    // The kernel counts `lock` up when it changes the page (another processor, another counter): read again
    // then.
    const volatile perf_event_mmap_page& page = *page_;
    for (;;) {
        const std::uint32_t before = page.lock;
        __asm__ volatile("" ::: "memory");
        const std::uint32_t index = page.index;
        if (index == 0) { // not on the processor just now
            return read_by_system_call();
        }
        const auto offset = static_cast<std::uint64_t>(page.offset);
        const unsigned unused = 64U - page.pmc_width;
        const std::uint64_t raw = __rdpmc(static_cast<int>(index) - 1);
        // Only pmc_width bits are there, the highest of them is the sign.
        const auto counted = static_cast<std::int64_t>(raw << unused) >> unused;
        __asm__ volatile("" ::: "memory");
        if (page.lock == before) {
            return offset + static_cast<std::uint64_t>(counted);
        }
    }
#else
    return read_by_system_call();
#endif
}

std::string why_no_instructions() {
    PerfEvent event;
    const int error = event.open_instructions();
    if (error == 0) {
        return event.read() > 0 ? "" : "the instruction counter of this processor is taken by somebody else";
    }
    if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP) {
        return "this processor shows no instruction counter (virtual machines often hide it)";
    }
    if (error == EACCES || error == EPERM) {
        return "the kernel does not allow it (kernel.perf_event_paranoid must be 2 or less; as root: sysctl "
               "kernel.perf_event_paranoid=2)";
    }
    if (error == ENOSYS) {
        return "this kernel has no performance counters";
    }
    return std::string("perf_event_open: ") + std::strerror(error);
}

} // namespace orrery::trace
