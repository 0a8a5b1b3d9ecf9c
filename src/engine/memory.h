// How much memory this process has used at most.
#pragma once

#include <cstdint>
#include <sys/resource.h>

namespace orrery {

inline std::uint64_t peak_rss_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

} // namespace orrery
