// Independent tasks on several threads. Which thread does a task has no influence on its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace orrery {

// Told after each task, from any thread, one at a time.
using TaskCounter = std::function<void(std::size_t done, std::size_t total)>;

// task(0), ..., task(count - 1). After the first that throws no further one starts; what it threw is thrown
// here. If the system does not start so many threads, fewer do the same.
void run_in_threads(std::size_t count, std::uint32_t threads, const std::function<void(std::size_t)>& task,
                    const TaskCounter& progress = {});

} // namespace orrery
