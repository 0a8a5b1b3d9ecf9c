#include "engine/in_threads.h"

#include "engine/interrupt.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace orrery {

void run_in_threads(std::size_t count, std::uint32_t threads, const char* unit,
                    const std::function<void(std::size_t)>& task, const TaskCounter& progress) {
    std::atomic<std::size_t> next{0};
    std::mutex telling;
    std::size_t done = 0;
    std::exception_ptr failure;
    const auto work = [&] {
        for (std::size_t i = next++; i < count && interrupt_requested() == 0; i = next++) {
            try {
                task(i);
                const std::lock_guard lock(telling);
                ++done;
                if (progress) progress(done, count);
            } catch (...) {
                const std::lock_guard lock(telling);
                if (!failure) failure = std::current_exception();
                next = count;
            }
        }
    };
    std::vector<std::thread> others;
    for (std::uint32_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
        try {
            others.emplace_back(work);
        } catch (const std::system_error&) { // no more threads: those that there are do it
            break;
        }
    }
    work();
    for (std::thread& other : others) other.join();
    if (interrupt_requested() != 0 && done < count)
        throw_interrupted(fmt::format("after {} of {} {}; no result is kept", done, count, unit));
    if (failure) std::rethrow_exception(failure);
}

} // namespace orrery
