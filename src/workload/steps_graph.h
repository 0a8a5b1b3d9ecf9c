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
//
// A step that begins at once or after the last wait (Step::Begin) waits for that only: such algorithms give the
// schedules of LogGOPSim, in which a message waits for what it passes on and not for what stands before it.
void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member);

} // namespace orrery
