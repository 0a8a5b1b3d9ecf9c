#include "engine/cpu/counter.h"

#include "engine/cpu/cpu_work.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace orrery::trace::counter_test {
namespace {

using test::work;

// The way by system call, with an event of the kernel's own that every machine has.
TEST(TraceCounter, AnEventIsReadBySystemCall) {
    PerfEvent event;
    if (event.open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) != 0) {
        GTEST_SKIP() << "this computer's kernel allows no performance events";
    }
    EXPECT_FALSE(event.in_user_mode());
    const std::uint64_t first = event.read();
    work(5'000'000);
    const std::uint64_t second = event.read();
    EXPECT_GE(second - first, 4'900'000U);
    EXPECT_LE(second - first, 500'000'000U);
}

TEST(TraceCounter, AnUnknownEventIsAnError) {
    PerfEvent event;
    EXPECT_NE(event.open(0xFFFFFFF0U, 0), 0);
    EXPECT_FALSE(event.in_user_mode());
}

TEST(TraceCounter, InstructionsAreCountedOrTheReasonIsGiven) {
    const std::string why = why_no_instructions();
    start_ticks();
    const ChosenCounter demanded = choose_counter(CounterChoice::instructions);
    EXPECT_EQ(demanded.available, why.empty());
    const ChosenCounter automatic = choose_counter(CounterChoice::automatic);
    EXPECT_TRUE(automatic.available);
    EXPECT_EQ(automatic.kind == CounterKind::instructions, why.empty());
    if (!why.empty()) {
        return;
    }
    Counter counter;
    counter.start(CounterKind::instructions);
    const std::int64_t first = counter.after().value;
    volatile int sink = 0;
    for (int i = 0; i < 100'000; ++i) {
        sink = sink + 1;
    }
    const std::int64_t counted = counter.before().value - first;
    EXPECT_GT(counted, 300'000);
    EXPECT_LT(counted, 2'000'000);
}

TEST(TraceCounter, CpuTimeCountsWorkInEitherWay) {
    start_ticks();
    for (const CounterKind kind : {CounterKind::cpu_time_by_ticks, CounterKind::cpu_time_by_system}) {
        if (kind == CounterKind::cpu_time_by_ticks && !switches_are_told()) {
            continue;
        }
        Counter counter;
        counter.start(kind);
        const Reading first = counter.after();
        const std::int64_t worked = work(5'000'000);
        const Reading second = counter.before();
        counter.stop();
        EXPECT_GE(second.value - first.value, worked - 200'000);
        EXPECT_LE(second.value - first.value, worked + 1'000'000);
        EXPECT_GT(second.ticks, first.ticks);
        EXPECT_EQ(facts_of(kind).name, "cpu-time");
        EXPECT_EQ(facts_of(kind).reference, 1e9);
    }
}

} // namespace
} // namespace orrery::trace::counter_test
