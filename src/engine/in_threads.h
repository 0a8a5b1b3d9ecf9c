// Independent tasks on several threads. Which thread does a task has no influence on its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace orrery {

// Told after each task, from any thread, one at a time.
using TaskCounter = std::function<void(std::size_t done, std::size_t total)>;

// task(0), ..., task(count - 1), on up to `threads` threads, or as many as the system lets us start. After the
// first that throws no further one starts; what it threw is thrown here. After Ctrl-C the same, with an
// Interrupted that says how many of the `unit` ("mappings") are done.
void run_in_threads(std::size_t count, std::uint32_t threads, const char* unit,
                    const std::function<void(std::size_t)>& task, const TaskCounter& progress = {});

} // namespace orrery
