// What is kept per rank and per fiber of execution.
//
// A fiber does one thing after the other. Each rank has a main fiber, which performs the actions of its
// trace or runs the application; a nonblocking collective runs in a fiber of its own beside it.
#pragma once

#include "collectives/step.h"
#include "engine/time.h"
#include "protocol/messenger.h"
#include "results/replay_prediction.h"
#include "workload/collective_call.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

// A collective call under way on one rank.
struct CollectiveRun {
    Steps steps;
    const Step* step = nullptr; // being performed
    std::uint32_t communicator = 0;
    std::uint32_t tag = 0; // number of the call in its communicator: keeps overlapping calls apart
    std::uint32_t line = 0;
    std::uint32_t row = 0; // in the counts of collectives
    Time began;
    std::vector<std::pair<std::uint32_t, RequestId>> requests; // its number in the steps, and ours
    KeptCall kept; // of a nonblocking call: outlives the trace's window
    // Emulation: what its messages carry, and the payloads of those of the present step.
    void* data = nullptr;
    std::uint32_t outgoing = 0;
    std::uint32_t incoming = 0;
};

struct alignas(64) Fiber {
    enum class Mode : std::uint8_t {
        going,         // runs now, or will at a time that is in the event queue
        waiting,       // for all of `outstanding` requests
        waiting_any,   // for one of several requests
        probing,       // for a message to probe
        in_timed_wait, // the same, or until a time that is in the event queue
        pausing,       // in a call, until a time that is in the event queue
        over,
    };
    std::uint32_t index = 0;
    std::uint32_t rank = 0;
    std::uint32_t outstanding = 0;
    std::uint32_t timed_wait = 0; // the number of its last timed wait
    // While waiting: the end of the overheads of what has completed so far. On a second CPU where fibers take
    // turns: when what it does next became ready.
    Time busy_until;
    std::uint32_t run = nobody;     // its CollectiveRun
    RequestId done = no_request;    // of a nonblocking collective: completes with the fiber
    Time computed_after;            // of a nonblocking collective: at its end
    Clock::Turn turn = 0;           // with interfaces: of what it does next; without: how many came before it
    Clock::Turn running = 0;        // that by which it runs now
    RequestId pending = no_request; // of an exchange under way: its receive
    Mode mode = Mode::going;
    std::uint8_t phase = 0; // how far the present action is
    std::uint8_t step_phase = 0;
    enum Cpu : std::uint8_t { granted = 1, occupies = 2 }; // on a second CPU: its turn has come; it holds it
    std::uint8_t cpu = 0;
};
static_assert(sizeof(Fiber) == 64);

struct alignas(64) RankProgress {
    bool finished = false;
    Time accounted; // all time before is in `times`
    Time began;     // the present action or call
    Time finish;
    Time unexpected_at; // with interfaces: when the last message that nobody waited for can be seen
    CallTimes times;
};

} // namespace orrery
