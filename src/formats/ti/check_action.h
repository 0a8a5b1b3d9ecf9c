// Whether an action is one that a replay can carry out, for those that come from a binary file.
#pragma once

#include "workload/action.h"

#include <cstdint>
#include <span>
#include <string>

namespace orrery::ti {

struct ActionLimits {
    std::uint32_t ranks = 0;
    std::uint64_t requests = 0; // numbers of the rank's requests are below
};

// What is wrong, or null.
const char* fault_of(const Action& action, std::span<const Bytes> counts, const ActionLimits& limits);

} // namespace orrery::ti
