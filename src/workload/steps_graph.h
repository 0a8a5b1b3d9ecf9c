// The steps of a collective algorithm as a piece of a rank's graph.
#pragma once

#include "collectives/step.h"
#include "workload/rank_chain.h"

#include <cstdint>
#include <functional>

namespace orrery {

// Appends all steps behind what `chain` waits for; afterwards the chain waits for the end of the algorithm.
// `member` turns a rank in the communicator into one of the world; `rank` is the own one there. Copying and
// combining cost nothing.
void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member);

} // namespace orrery
