#include "emulate/compute/cpu_clock.h"

#include <atomic>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace orrery::emulate {
namespace {

double system_cpu() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void work(double ns) {
    const double from = system_cpu();
    while (system_cpu() - from < ns) {
    }
}

TEST(EmulateCpuClock, AgreesWithTheSystem) {
    CpuClock clock;
    for (int i = 0; i < 20; ++i) {
        const double from = system_cpu();
        clock.mark();
        work(1e6);
        const double measured = clock.since_mark();
        const double all = system_cpu() - from;
        EXPECT_GT(measured, 0.99e6);
        EXPECT_LT(measured, all + 0.2e6);
    }
}

TEST(EmulateCpuClock, SleepingIsNotComputing) {
    for (const bool ask : {false, true}) {
        CpuClock clock;
        if (ask) clock.ask_the_system();
        EXPECT_EQ(clock.asks_the_system() || !ask, true);
        clock.mark();
        usleep(50'000);
        EXPECT_LT(clock.since_mark(), 10e6);
        clock.mark();
        work(3e6);
        usleep(50'000);
        work(3e6);
        const double measured = clock.since_mark();
        EXPECT_GT(measured, 6e6);
        EXPECT_LT(measured, 16e6);
    }
}

// What others compute on the same core is not counted: the sum of bursts is the CPU time of the thread,
// although several threads take turns.
TEST(EmulateCpuClock, OthersOnTheCoreAreNotCounted) {
    std::atomic<bool> stop = false;
    std::vector<std::thread> others;
    for (int i = 0; i < 6; ++i)
        others.emplace_back([&stop] {
            while (!stop) {
            }
        });
    CpuClock clock;
    const double from = system_cpu();
    double sum = 0;
    for (int i = 0; i < 60; ++i) {
        clock.mark();
        work(1e6);
        sum += clock.since_mark();
    }
    const double all = system_cpu() - from;
    stop = true;
    for (std::thread& each : others) each.join();
    EXPECT_GT(sum, 60e6);
    EXPECT_LT(sum, all * 1.1 + 5e6);
}

} // namespace
} // namespace orrery::emulate
