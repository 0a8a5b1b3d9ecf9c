// Where to end the ranks of a trace that was cut off.
#pragma once

#include "workload/action.h"

#include <cstdint>
#include <vector>

namespace orrery::recorded {

struct CommonEnd {
    std::uint64_t collectives = 0;   // of all ranks, that every rank has reached
    std::vector<std::uint64_t> last; // how many actions of each rank that makes; empty if there are none
};

// Ranks of a program that was killed end at different points, each a buffer or so before its death: a replay of
// all of it would wait for ever for what others have not recorded. After a collective operation of all ranks
// there is, as a rule, nothing in flight. Reads `first` and `again`, two sources of the same trace, to the end.
CommonEnd find_common_end(ActionSource& first, ActionSource& again);

} // namespace orrery::recorded
