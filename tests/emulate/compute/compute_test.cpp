#include "emulate/compute/compute.h"

#include "emulate/compute/fake_sink.h"
#include "engine/cpu/cpu_work.h"
#include "engine/error.h"

#include <gtest/gtest.h>
#include <limits>
#include <orrery/emulate.h>

namespace orrery::emulate::compute_test {
namespace {

using test::FakeSink;

using trace::test::work;

TEST(EmulateCompute, Modes) {
    ComputeOptions options;
    parse_compute("none", options);
    EXPECT_FALSE(options.measured);
    parse_compute("scale=2.5", options);
    EXPECT_TRUE(options.measured);
    EXPECT_EQ(options.scale, 2.5);
    parse_compute("measured", options);
    EXPECT_EQ(options.scale, 1);
    parse_compute("record=a,b", options);
    EXPECT_EQ(options.record, "a,b");
    parse_compute("scale=0.5,from=x", options);
    EXPECT_EQ(options.from, "x");
    EXPECT_EQ(options.scale, 0.5);
    EXPECT_EQ(options.record, "");
    for (const char* const wrong : {"", "scale=", "scale=-1", "scale=0", "scale=2x", "scale=inf", "Measured",
                                    "record=", "from=", "scale=2,", "scale=2,none", "scale=xfrom=y"})
        EXPECT_THROW(parse_compute(wrong, options), UsageError) << wrong;
}

TEST(EmulateCompute, MeasuredBetweenCallsAndScaled) {
    FakeSink sink;
    ComputeOptions options;
    options.scale = 10;
    Compute compute(options, {}, sink);
    compute.leave_call();
    const std::int64_t worked = work(2'000'000);
    compute.enter_call();
    work(2'000'000); // the emulator's own
    compute.leave_call();
    compute.enter_call();
    EXPECT_GE(sink.busy[0],
              Time::ns(10 * (worked - 200'000))); // readings may be off by 200 us (engine/cpu/clock.h)
    EXPECT_LT(sink.busy[0], Time::ns(10 * (worked + 1'500'000)));
}

TEST(EmulateCompute, ShortBurstsAddUp) {
    FakeSink sink;
    ComputeOptions options;
    options.least = Time::us(100);
    Compute compute(options, {}, sink);
    for (int i = 0; i < 100; ++i) {
        compute.leave_call();
        work(10'000);
        compute.enter_call();
    }
    EXPECT_GE(sink.busy[0], Time::us(600)); // all but what is pending, and less a reading that is off
    EXPECT_LE(sink.injections, 60);
    EXPECT_GE(sink.injections, 5);
}

TEST(EmulateCompute, ReferenceSpeedMakesVolume) {
    FakeSink sink;
    ComputeOptions options;
    options.reference_speed = 1e9;
    Compute compute(options, {}, sink);
    compute.leave_call();
    work(2'000'000);
    compute.enter_call();
    EXPECT_GE(sink.flops[0], 1.8e6);
    EXPECT_EQ(sink.busy[0], Time::zero());
}

TEST(EmulateCompute, NoneMeasuresNothingButExecutes) {
    FakeSink sink;
    ComputeOptions options;
    options.measured = false;
    Compute compute(options, {}, sink);
    compute.leave_call();
    work(1'000'000);
    compute.enter_call();
    EXPECT_EQ(sink.injections, 0);
    orrery_execute(0.25);
    EXPECT_EQ(sink.busy[0], Time::us(250'000));
    orrery_execute_flops(1e6);
    EXPECT_EQ(sink.flops[0], 1e6);
    orrery_execute(0);
    EXPECT_EQ(sink.injections, 2);
    EXPECT_THROW(compute.execute(-1), std::runtime_error);
    EXPECT_THROW(compute.execute_flops(-1e12), std::runtime_error);
    EXPECT_THROW(compute.execute(std::numeric_limits<double>::quiet_NaN()), std::runtime_error);
    compute.execute(1e30); // the engine refuses it
    EXPECT_EQ(sink.busy[0], Time::us(250'000) + Time::longest());
    EXPECT_THROW(compute.execute_flops(std::numeric_limits<double>::infinity()), std::runtime_error);
}

TEST(EmulateSamples, StopsAfterSoManyOrWhenStable) {
    Samples samples;
    EXPECT_TRUE(samples.more(2, 0));
    samples.add(1);
    samples.add(3);
    EXPECT_FALSE(samples.more(2, 0));
    EXPECT_EQ(samples.mean(), 2);
    EXPECT_NEAR(samples.relative_error(), 0.5, 1e-12); // sd sqrt(2), of the mean 1, relative 1/2
    EXPECT_TRUE(samples.more(10, 0.4));
    EXPECT_FALSE(samples.more(10, 0.6));
    EXPECT_TRUE(samples.more(0, 0.4));
}

TEST(EmulateSamples, LocalRunsThenSpendsTheMean) {
    FakeSink sink(2);
    Compute compute(ComputeOptions{}, {}, sink);
    int runs = 0;
    std::int64_t worked = 0;
    const auto piece = [&] {
        ORRERY_SAMPLE_LOCAL(3, 0) {
            ++runs;
            worked += work(1'000'000);
        }
    };
    for (int i = 0; i < 10; ++i) piece();
    EXPECT_EQ(runs, 3);
    EXPECT_GE(sink.busy[0], Time::us(8'000));
    EXPECT_LT(sink.busy[0], Time::ns(worked / 3 * 20));
    sink.present = 1;
    piece();
    EXPECT_EQ(runs, 4); // the other rank has none yet
}

TEST(EmulateSamples, GlobalIsOverAllRanks) {
    FakeSink sink(4);
    Compute compute(ComputeOptions{}, {}, sink);
    int runs = 0;
    for (std::size_t i = 0; i < 20; ++i) {
        sink.present = i % 4;
        ORRERY_SAMPLE_GLOBAL(5, 0) {
            ++runs;
            work(1'000'000);
        }
    }
    EXPECT_EQ(runs, 5);
    EXPECT_GE(sink.busy[3], Time::us(4'000));
}

TEST(EmulateSamples, OneThatIsLeftByBreakDoesNotCount) {
    FakeSink sink;
    Compute compute(ComputeOptions{}, {}, sink);
    int runs = 0;
    for (int i = 0; i < 6; ++i) {
        ORRERY_SAMPLE_LOCAL(2, 0) {
            ++runs;
            if (i < 3) break;
        }
    }
    EXPECT_EQ(runs, 5);
    EXPECT_THROW(compute.leave_sample(), std::runtime_error);
    EXPECT_THROW(compute.enter_sample(false, "x.c", 1, "", 0, 0), std::runtime_error);
}

TEST(EmulateSamples, DelaysAreOnlyRunWithoutEmulation) {
    int runs = 0;
    ORRERY_SAMPLE_DELAY(1.5) { ++runs; }
    EXPECT_EQ(runs, 1);
    FakeSink sink;
    Compute compute(ComputeOptions{}, {}, sink);
    ORRERY_SAMPLE_DELAY(1.5) { ++runs; }
    ORRERY_SAMPLE_FLOPS(3e6) { ++runs; }
    EXPECT_EQ(runs, 1);
    EXPECT_GE(sink.busy[0], Time::us(1'500'000));
    EXPECT_EQ(sink.flops[0], 3e6);
}

TEST(EmulateSamples, TagsTellUsesOfOneLineApart) {
    FakeSink sink;
    Compute compute(ComputeOptions{}, {}, sink);
    int runs = 0;
    for (int i = 0; i < 8; ++i) {
        ORRERY_SAMPLE_LOCAL_TAG(1, 0, i % 2 == 0 ? "small" : "large") { ++runs; }
    }
    EXPECT_EQ(runs, 2);
}

TEST(EmulateSamples, LoopSpendsTheRestAtOnce) {
    FakeSink sink;
    Compute compute(ComputeOptions{}, {}, sink);
    int turns = 0;
    for (long left = 10; left > 0 && orrery_sample(0, "loop.c", 7, "", 2, 0, left); --left) {
        ++turns;
        work(1'000'000);
        orrery_sampled();
    }
    EXPECT_EQ(turns, 2);
    EXPECT_GE(sink.busy[0], Time::us(8'000));
}

} // namespace
} // namespace orrery::emulate::compute_test
