// One event of the kernel's performance counters (perf_event_open), of the thread that opens it.
//
// A hardware event is read in user mode where the kernel allows that (rdpmc, some 20 ns), otherwise by a system
// call. Only what the thread does in user mode counts, so that neither the kernel nor waiting adds to it.
#pragma once

#include <cstdint>
#include <string>

struct perf_event_mmap_page;

namespace orrery::trace {

class PerfEvent {
  public:
    PerfEvent() = default;
    PerfEvent(const PerfEvent&) = delete;
    PerfEvent& operator=(const PerfEvent&) = delete;
    ~PerfEvent() { close(); }

    // `type` and `config` as perf_event_open has them. Returns 0 or the error number.
    int open(std::uint32_t type, std::uint64_t config) noexcept;
    int open_instructions() noexcept;
    void close() noexcept;
    [[nodiscard]] bool in_user_mode() const noexcept; // whether read() needs no system call
    [[nodiscard]] std::uint64_t read() const noexcept;

  private:
    [[nodiscard]] std::uint64_t read_by_system_call() const noexcept;

    int descriptor_ = -1;
    const perf_event_mmap_page* page_ = nullptr;
};

// Why instructions cannot be counted on this machine, in words; empty if they can. `orrery trace` asks before
// it starts anything, the library again on each host.
std::string why_no_instructions();

} // namespace orrery::trace
