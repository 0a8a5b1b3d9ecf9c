// How much memory there is, and how much this process has used at most.
#pragma once

#include <cstdint>

namespace orrery {

std::uint64_t peak_rss_bytes();
// What the process has now, a page that it sees at many addresses counted once; 0 if the system does not tell.
std::uint64_t pss_bytes();

// What this process may use: the machine's memory, or less where a control group limits it (containers, batch
// systems).
std::uint64_t usable_memory_bytes();

} // namespace orrery
