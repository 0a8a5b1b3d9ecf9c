#include "cli/this_machine.h"
#include "engine/cpu/clock.h"
#include "engine/cpu/counter_perf.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <unistd.h>

namespace orrery::cli {
namespace {

// The rest of the first line of `path` that begins with `key`, without blanks and the colon; empty if there is
// none.
std::string line_of(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        if (!line.starts_with(key)) continue;
        const std::size_t begin = line.find_first_not_of(" \t:", key.size());
        return begin == std::string::npos ? std::string() : line.substr(begin);
    }
    return {};
}

// The number at the beginning of `text`, or `otherwise`.
std::uint64_t number(const std::string& text, std::uint64_t otherwise) {
    if (text.empty() || text[0] < '0' || text[0] > '9') return otherwise;
    return std::strtoull(text.c_str(), nullptr, 10);
}

std::uint32_t usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::uint32_t>(CPU_COUNT(&set));
    return static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

Finding find_huge_pages() {
    const std::string path = "/sys/kernel/mm/transparent_hugepage/enabled";
    const std::string modes = line_of(path, "");
    if (modes.empty()) return {false, "this kernel has no transparent huge pages"};
    if (modes.find("[never]") != std::string::npos)
        return {false, "switched off, so large runs are slower; as root: echo madvise > " + path};
    return {true, modes.find("[always]") != std::string::npos
                      ? "for all memory"
                      : "for memory that asks for them, as the simulator's does"};
}

// The simulator reserves room for the largest possible number of messages and writes only what it needs.
Finding find_lazy_memory() {
    if (line_of("/proc/sys/vm/overcommit_memory", "") != "2")
        return {true, "memory is taken only where it is written"};
    return {
        false,
        "the kernel counts reserved memory as used (vm.overcommit_memory is 2), so large runs may be refused; "
        "as root: sysctl vm.overcommit_memory=0"};
}

Finding finding(std::string why_not, const char* what) {
    return why_not.empty() ? Finding{true, what} : Finding{false, std::move(why_not)};
}

} // namespace

ThisMachine look_at_this_machine() {
    ThisMachine found;
    found.cpu = line_of("/proc/cpuinfo", "model name");
    if (found.cpu.empty()) found.cpu = "unknown";
    found.cores = usable_cores();
    found.memory_bytes = number(line_of("/proc/meminfo", "MemTotal"), 0) * 1024;
    found.available_bytes = number(line_of("/proc/meminfo", "MemAvailable"), 0) * 1024;
    // A container or batch job may be allowed less than the machine has: control groups, version 2, then 1.
    for (const char* limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
        found.memory_bytes = std::min(found.memory_bytes, number(line_of(limit, ""), found.memory_bytes));
    found.available_bytes = std::min(found.available_bytes, found.memory_bytes);
    found.huge_pages = find_huge_pages();
    found.lazy_memory = find_lazy_memory();
    found.counters =
        finding(trace::why_no_instructions(), "the kernel counts the instructions of a program (perf_event)");
    found.cpu_clock = finding(trace::why_no_fast_clock(),
                              "invariant time stamp counter, and rseq tells when a thread was interrupted");
    return found;
}

} // namespace orrery::cli
