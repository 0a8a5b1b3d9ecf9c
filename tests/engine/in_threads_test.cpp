#include "engine/in_threads.h"

#include "engine/error.h"
#include "reference/sanitized.h"

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace orrery::in_threads_test {
namespace {

// Room for a few stacks more, while this lives.
class LittleMemory {
  public:
    LittleMemory() {
        getrlimit(RLIMIT_AS, &before_);
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t now = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
        rlimit little = before_;
        little.rlim_cur = now + (rlim_t{24} << 20U);
        setrlimit(RLIMIT_AS, &little);
    }
    ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;

  private:
    rlimit before_{};
};

TEST(InThreads, DoesEverythingOnce) {
    std::array<std::atomic<int>, 100> done{};
    run_in_threads(done.size(), 4, "tasks", [&](std::size_t i) { ++done.at(i); });
    for (const auto& each : done) EXPECT_EQ(each, 1);
}

TEST(InThreads, WhatATaskThrowsIsThrown) {
    EXPECT_THROW(run_in_threads(10, 3, "tasks", [](std::size_t) { throw InputError("no"); }), InputError);
}

TEST(InThreads, ProgressIsToldByOneThreadAtATime) {
    std::vector<std::size_t> told;
    run_in_threads(
        100, 4, "tasks", [](std::size_t) { std::this_thread::sleep_for(std::chrono::microseconds(100)); },
        [&](std::size_t done, std::size_t total) {
            told.push_back(done);
            EXPECT_EQ(total, 100U);
        });
    std::vector<std::size_t> in_order(100);
    std::iota(in_order.begin(), in_order.end(), std::size_t{1});
    EXPECT_EQ(told, in_order);
}

TEST(InThreads, FewerThreadsDoTheSameIfTheSystemHasNoMore) {
    if (reference::sanitized) return; // a sanitizer reserves more than any limit
    std::array<std::atomic<int>, 100> done{};
    {
        const LittleMemory little;
        run_in_threads(done.size(), 64, "tasks", [&](std::size_t i) { ++done.at(i); });
    }
    for (const auto& each : done) EXPECT_EQ(each, 1);
}

} // namespace
} // namespace orrery::in_threads_test
