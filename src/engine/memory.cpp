#include "engine/memory.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace orrery {

namespace {

// The number in a file of its own; the largest possible one if there is no such file, or no limit in it.
std::uint64_t limit_in(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t limit = 0;
    return file >> limit ? limit : ~std::uint64_t{0};
}

} // namespace

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t pss_bytes() {
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string word; file >> word;) {
        std::uint64_t kib = 0;
        if (word == "Pss:" && file >> kib) return kib * 1024;
    }
    return 0;
}

std::uint64_t usable_memory_bytes() {
    std::uint64_t usable = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    // Lines "number:controllers:path"; version 2 of control groups has no controllers there.
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty()) usable = std::min(usable, limit_in("/sys/fs/cgroup" + path + "/memory.max"));
        if (controllers == "memory") {
            usable = std::min(usable, limit_in("/sys/fs/cgroup/memory" + path + "/memory.limit_in_bytes"));
        }
    }
    return usable;
}

} // namespace orrery
