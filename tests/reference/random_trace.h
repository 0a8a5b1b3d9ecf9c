// Random traces with all that a trace can say, for the twin of the replay (reference/replay.h). Each step is a
// part of what some or all ranks do, which cannot deadlock when each does its parts of the steps in order,
// unless wildcards are drawn without regard to who else may be meant.
#pragma once

#include "drivers/action_script.h"
#include "engine/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::reference {

struct TraceStep {
    enum class Kind : std::uint8_t {
        compute,
        sleep,
        message,    // one, sent and received in any manner
        exchange,   // each sends to the next one and receives from the one before, at once
        gather,     // from all, in the order in which they come
        complete,   // somehow waits for, tests or forgets requests
        cancel,     // a send that nobody receives
        forget,     // a receive that nobody waits for, or a send
        collective, // blocking or not
        communicator,
        neighbours,
        fences,     // what one-sided communication has between two of them
        locks,      // one rank locks another's memory
        lock_all,   // or that of all
        post_start, // some post, others start
    };
    static constexpr std::size_t kinds = static_cast<std::size_t>(Kind::post_start) + 1;
    Kind kind = Kind::compute;
    std::uint64_t seed = 0; // of all else about it
};

struct RandomTrace {
    std::uint32_t ranks = 0;
    std::vector<Bytes> sizes; // of most messages
    bool careless = false;    // about wildcards
    std::vector<TraceStep> steps;
};

// Up to `last` of the kinds of steps.
RandomTrace random_trace(std::uint64_t seed, const std::vector<Bytes>& sizes,
                         TraceStep::Kind last = TraceStep::Kind::post_start);
test::ActionScript script_of(const RandomTrace& trace);
// To show it: one line per action.
std::string words_of(const RandomTrace& trace);

} // namespace orrery::reference
