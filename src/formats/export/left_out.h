// What neither a schedule nor another program can replay: counted, and left out of what is written for them.
#pragma once

#include "workload/action.h"
#include "workload/trace_communicators.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

struct LeftOut {
    std::uint64_t one_sided = 0; // operations, and calls of windows: only fences stay, as barriers
    std::uint64_t cancelled = 0; // sends that nobody receives
    std::uint64_t asides = 0;

    // Whether the action, which `communicators` is to pass next, is left out; then it is counted.
    bool takes(const Action& action, const RankCommunicators& communicators);
    void append_words(std::vector<std::string>& all) const;
};

} // namespace orrery
