// The steps of a collective algorithm as a piece of a rank's graph.
#pragma once

#include "collectives/step.h"
#include "workload/rank_chain.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace orrery {

// The requests of an algorithm that have not been waited for, each with its operation. Most are waited for in
// the order in which they were posted, or right after that: both take O(1).
class OpenRequests {
  public:
    void post(std::uint32_t request, std::uint32_t op) { open_.push_back({request, op}); }
    // Appends the operations that are waited for to `done`.
    void wait(std::uint32_t request, std::vector<std::uint32_t>& done);
    void wait_all(std::vector<std::uint32_t>& done);

  private:
    struct Open {
        std::uint32_t request = 0;
        std::uint32_t op = 0;
    };
    std::vector<Open> open_;
    std::size_t first_ = 0; // those before it are done
};

// Memory that one call of append_steps leaves to the next.
struct StepsScratch {
    OpenRequests requests;
    std::vector<std::uint32_t> waited;
};

// Appends all steps behind what `chain` waits for; afterwards the chain waits for the end of the algorithm.
// `member` turns a rank in the communicator into one of the world; `rank` is the own one there. Copying and
// combining cost nothing.
//
// A step that begins at once or after the last wait (Step::Begin) waits for that only: such algorithms give the
// schedules of LogGOPSim, in which a message waits for what it passes on and not for what stands before it.
void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member);
void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member, StepsScratch& scratch);

} // namespace orrery
