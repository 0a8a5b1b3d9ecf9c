// Runs tasks side by side, each in a process of its own: a task that crashes, or takes all memory, takes down
// nothing but itself.
//
// A process is forked for each task and writes its answer, a text, to a pipe. When the parent dies in whatever
// way, its workers are killed; a worker is a likelier victim than the parent when the machine runs out of
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace orrery {

struct TaskOutcome {
    bool finished = false; // the task returned, and this is what
    std::string answer;
    std::string reason; // otherwise: why the process ended, and the last it said
    std::uint64_t peak_rss_bytes = 0;
};

struct PoolOptions {
    std::uint32_t jobs = 1;
    std::uint64_t memory_bytes = 0;  // not 0: no further task starts if it might need more than that, judged by
                                     // the largest so far
    std::uint64_t largest_bytes = 0; // the largest of earlier runs
};

// The signal that asked to stop (SIGINT, SIGTERM or SIGHUP), or 0 if all tasks are done. Tasks in flight are
// then given up. `work` runs in the child (what it throws becomes a reason); `done` runs in the parent, in the
// order in which tasks end. `progress` is called at least every quarter of a second with the number of running
// tasks.
int run_in_processes(std::size_t tasks, const PoolOptions& options,
                     const std::function<std::string(std::size_t)>& work,
                     const std::function<void(std::size_t, const TaskOutcome&)>& done,
                     const std::function<void(std::size_t running)>& progress);

} // namespace orrery
