#include "engine/cpu/clock.h"

#include "engine/cpu/cpu_work.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <thread>
#include <vector>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

namespace orrery::trace::clock_test {
namespace {

using namespace std::chrono_literals;

using test::work;

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
        GTEST_SKIP() << "this computer's CPU time is read by system calls";
    }
    CpuClock clock;
    clock.start();
    for (int i = 0; i < 60; ++i) {
        if (i % 3 == 0) {
            std::this_thread::sleep_for(500us);
        } else {
            work(300'000);
        }
        const std::int64_t low = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
        const std::int64_t before = clock.before().value;
        const std::int64_t after = clock.after().value;
        const std::int64_t high = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
        constexpr std::int64_t error = 200'000; // a switch that is missed makes 500'000
        EXPECT_GE(before, low - error);
        EXPECT_LE(after, high + error);
        EXPECT_LE(before, after + error);
    }
    clock.stop();
}

TEST(TraceClock, SleepingIsNoCpuTime) {
    start_ticks();
    if (!switches_are_told()) {
        GTEST_SKIP() << "this computer's CPU time is read by system calls";
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

// As when a hypervisor has given the processor to another virtual machine: time has passed that is not ours,
// and nothing tells. Here the thread sleeps and wipes out that it was told.
TEST(TraceClock, TimeThatIsTakenUnseenIsFoundOut) {
    start_ticks();
    if (!switches_are_told()) {
        GTEST_SKIP() << "this computer's CPU time is read by system calls";
    }
#if __has_include(<sys/rseq.h>)
    auto* const area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
    auto* const told = reinterpret_cast<volatile std::uint64_t*>(area + offsetof(struct rseq, rseq_cs));
    CpuClock clock;
    clock.start();
    const std::uint64_t armed = *told;
    const auto sleep_unseen = [&] {
        std::this_thread::sleep_for(5ms);
        EXPECT_NE(*told, armed);
        *told = armed;
    };
    for (int i = 0; i < 5; ++i) {
        const std::int64_t first = clock.after().value;
        sleep_unseen();
        EXPECT_LT(clock.before().value - first, 2'000'000);
    }
    for (int i = 0; i < 5; ++i) {
        const std::int64_t first = clock.after().value;
        sleep_unseen();
        EXPECT_LT(clock.after().value - first, 2'000'000);
    }
    clock.stop();
#endif
}

// What others compute on the same core is not counted: the sum of bursts is the CPU time of the thread,
// although several threads take turns.
TEST(TraceClock, OthersOnTheCoreAreNotCounted) {
    start_ticks();
    if (!switches_are_told()) {
        GTEST_SKIP() << "this computer's CPU time is read by system calls";
    }
    std::atomic<bool> stop = false;
    std::vector<std::thread> others;
    for (int i = 0; i < 6; ++i) {
        others.emplace_back([&stop] {
            while (!stop) {
            }
        });
    }
    CpuClock clock;
    clock.start();
    const std::int64_t from = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
    std::int64_t sum = 0;
    for (int i = 0; i < 60; ++i) {
        const std::int64_t first = clock.after().value;
        work(1'000'000);
        sum += clock.before().value - first;
    }
    const std::int64_t all = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - from;
    clock.stop();
    stop = true;
    for (std::thread& each : others) {
        each.join();
    }
    EXPECT_GT(sum, 60 * 800'000);
    EXPECT_LT(sum, all + 60 * 200'000);
}

// Each thread has a clock of its own.
TEST(TraceClock, ThreadsCountForThemselves) {
    start_ticks();
    if (!switches_are_told()) {
        GTEST_SKIP() << "this computer's CPU time is read by system calls";
    }
    CpuClock clock;
    clock.start();
    const std::int64_t first = clock.after().value;
    std::thread([] {
        CpuClock other;
        other.start();
        const std::int64_t begin = other.after().value;
        work(20'000'000);
        EXPECT_GE(other.before().value - begin, 19'600'000);
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
        // Ticks on either side of a reading of the clock, however long the processor is away in between.
        std::uint64_t low[10];
        std::uint64_t high[10];
        std::int64_t real[10];
        for (int i = 0; i < 10; ++i) {
            std::this_thread::sleep_for(100us);
            low[i] = ticks();
            real[i] = nanoseconds_of(CLOCK_MONOTONIC) - origin;
            high[i] = ticks();
        }
        timeline.mark();
        for (int i = 0; i < 10; ++i) {
            const std::int64_t first = timeline.nanoseconds(low[i]);
            const std::int64_t last = timeline.nanoseconds(high[i]);
            EXPECT_LE(first, real[i] + 20'000);
            EXPECT_GE(last, real[i] - 20'000);
            EXPECT_GE(first, latest);
            EXPECT_GE(last, first);
            latest = last;
        }
    }
}

} // namespace
} // namespace orrery::trace::clock_test
