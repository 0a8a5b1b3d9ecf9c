#include "trace/clock.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace orrery::trace {
namespace {

using namespace std::chrono_literals;

void work_until(std::int64_t cpu) {
    while (nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) < cpu) {
    }
}

TEST(TraceClock, TicksFollowTheClockOfTheSystem) {
    for (const bool tsc : {true, false}) {
        start_ticks(tsc);
        const std::int64_t first = nanoseconds_of(CLOCK_MONOTONIC);
        const std::uint64_t tick = ticks();
        std::this_thread::sleep_for(20ms);
        const double passed = static_cast<double>(ticks() - tick) * nanoseconds_per_tick();
        const auto real = static_cast<double>(nanoseconds_of(CLOCK_MONOTONIC) - first);
        EXPECT_LE(passed, real * 1.001);
        EXPECT_GE(passed, 20e6 * 0.999);
    }
}

// However the thread computes, sleeps and is switched out: the cheap clock says what the system call says.
TEST(TraceClock, CpuTimeIsThatOfTheSystemCall) {
    start_ticks();
    if (!switches_are_told()) {
        GTEST_SKIP() << "CPU time is read by system calls here";
    }
    CpuClock clock;
    clock.start();
    for (int i = 0; i < 60; ++i) {
        if (i % 3 == 0) {
            std::this_thread::sleep_for(500us);
        } else {
            work_until(nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) + 300'000);
        }
        const std::int64_t low = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
        const std::int64_t before = clock.before().value;
        const std::int64_t after = clock.after().value;
        const std::int64_t high = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
        constexpr std::int64_t error = 100'000; // a fifth of what a missed switch would make
        EXPECT_GE(before, low - error);
        EXPECT_LE(after, high + error);
        EXPECT_LE(before, after + error);
    }
    clock.stop();
}

TEST(TraceClock, SleepingIsNoCpuTime) {
    start_ticks();
    if (!switches_are_told()) {
        GTEST_SKIP() << "CPU time is read by system calls here";
    }
    CpuClock clock;
    clock.start();
    const Reading first = clock.after();
    std::this_thread::sleep_for(30ms);
    const Reading second = clock.before();
    clock.stop();
    EXPECT_LT(second.value - first.value, 3'000'000);
    EXPECT_GT(static_cast<double>(second.ticks - first.ticks) * nanoseconds_per_tick(), 29e6);
}

// Each thread has a clock of its own.
TEST(TraceClock, ThreadsCountForThemselves) {
    start_ticks();
    if (!switches_are_told()) {
        GTEST_SKIP() << "CPU time is read by system calls here";
    }
    CpuClock clock;
    clock.start();
    const std::int64_t first = clock.after().value;
    std::thread([] {
        CpuClock other;
        other.start();
        const std::int64_t begin = other.after().value;
        work_until(nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) + 20'000'000);
        EXPECT_GE(other.before().value - begin, 19'900'000);
        other.stop();
    }).join();
    EXPECT_LT(clock.before().value - first, 5'000'000);
    clock.stop();
}

TEST(TraceClock, TimelineGoesThroughItsMoments) {
    start_ticks();
    Timeline timeline;
    timeline.begin();
    const std::int64_t origin = nanoseconds_of(CLOCK_MONOTONIC);
    std::int64_t latest = 0;
    for (int round = 0; round < 5; ++round) {
        std::uint64_t tick[10];
        std::int64_t real[10];
        for (int i = 0; i < 10; ++i) {
            std::this_thread::sleep_for(100us);
            tick[i] = ticks();
            real[i] = nanoseconds_of(CLOCK_MONOTONIC) - origin;
        }
        timeline.mark();
        for (int i = 0; i < 10; ++i) {
            const std::int64_t got = timeline.nanoseconds(tick[i]);
            EXPECT_NEAR(static_cast<double>(got), static_cast<double>(real[i]), 20'000);
            EXPECT_GE(got, latest);
            latest = got;
        }
    }
}

} // namespace
} // namespace orrery::trace
