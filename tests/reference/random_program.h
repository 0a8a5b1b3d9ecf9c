// Random programs for the tests of "one answer": what all ranks do, step by step, which cannot deadlock when
// each rank does its part of the steps in order. The same seed gives the same program everywhere.
#pragma once

#include "collectives/call.h"
#include "drivers/action_script.h"
#include "engine/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::reference {

struct ProgramStep {
    enum class Kind {
        compute,    // `from` computes for `bytes` nanoseconds
        message,    // from `from` to `to`
        shift,      // every rank sends to the next and receives from the one before, at once
        gather,     // everybody sends to `to`, which takes what comes first
        collective, // of all ranks, `to` is the root
        wait,       // `from` waits for its oldest request
        wait_all,   // `from` waits for all of them
    };
    Kind kind = Kind::compute;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes bytes = 0;
    bool nonblocking_send = false;
    bool nonblocking_receive = false; // of a collective: that it is nonblocking
    Collective collective = Collective::barrier;
};

struct RandomProgram {
    std::uint32_t ranks = 0;
    std::vector<ProgramStep> steps;
};

// `sizes`: some of the messages have these. Nonblocking collectives only if they are asked for.
RandomProgram random_program(std::uint64_t seed, const std::vector<Bytes>& sizes, bool nonblocking_collectives);
test::ActionScript script_of(const RandomProgram& program);
// To show it: one line per step.
std::string words_of(const RandomProgram& program);

} // namespace orrery::reference
