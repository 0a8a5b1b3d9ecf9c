// What the ranks of an emulated program take of this computer's memory.
#pragma once

#include "emulate/context/stacks.h"
#include "results/replay_prediction.h"

#include <cstdint>

namespace orrery::emulate {

// Of the C library's heap: what it has taken from the system.
std::uint64_t heap_bytes();

// At the end of a run, before the stacks are gone. `heap_before`: heap_bytes() before the first rank was made.
// Of many ranks a part is asked for: a system call each.
RankMemory rank_memory(const Stacks& stacks, std::uint64_t variables, std::uint64_t heap_before);

} // namespace orrery::emulate
