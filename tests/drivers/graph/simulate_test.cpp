// The simulation as a whole: noise, limits, damaged schedules.
#include "drivers/graph/simulate.h"

#include "engine/error.h"
#include "engine/too_long.h"
#include "fuzz/mended_schedule.h"
#include "places.h"
#include "workload/patterns/pattern.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace orrery::simulate_test {
namespace {

Schedule pattern(const char* name, std::uint32_t ranks, Bytes bytes) {
    PatternOptions options = find_pattern(name).defaults;
    options.ranks = ranks;
    options.bytes = bytes;
    ScheduleBuilder builder;
    generate(*make_pattern(name, options), ranks, builder);
    return builder.take();
}

Schedule one_rank(const RankGraph& graph) {
    ScheduleBuilder builder("one");
    builder.begin(1);
    builder.rank(RankId{0}, graph);
    builder.finish();
    return builder.take();
}

TEST(Simulate, NoiseDelaysAndIsRepeatable) {
    const Schedule schedule = pattern("dissemination", 64, 8);
    const auto run = [&](std::uint64_t seed) {
        const auto noise =
            noise_from_distribution("period=20us duration=5us interval=exponential", {seed, false});
        SimulationOptions options;
        options.noise = noise.get();
        return simulate(schedule, options);
    };
    const Prediction quiet = simulate(schedule, {});
    const Prediction noisy = run(1);
    EXPECT_GT(noisy.time, quiet.time);
    EXPECT_EQ(noisy.time, run(1).time);
    EXPECT_NE(noisy.time, run(2).time);
    Time taken;
    for (std::size_t rank = 0; rank < 64; ++rank) {
        EXPECT_GE(noisy.ranks[rank].finish, quiet.ranks[rank].finish);
        EXPECT_EQ(noisy.ranks[rank].overhead, quiet.ranks[rank].overhead); // noise is counted apart
        taken += noisy.ranks[rank].noise;
    }
    EXPECT_GT(taken, Time::zero());
}

TEST(Simulate, CpuTimeAddsUp) {
    const Prediction prediction = simulate(pattern("binomial-bcast", 37, 100), {});
    for (const RankTimes& rank : prediction.ranks) EXPECT_GE(prediction.waiting(rank), Time::zero());
    EXPECT_EQ(prediction.messages, 36U);
    EXPECT_EQ(prediction.events, 3U * 36U);
    EXPECT_EQ(prediction.bytes, 3600U);
}

TEST(Simulate, TellsProgress) {
    std::uint64_t last = 0;
    std::uint64_t calls = 0;
    SimulationOptions options;
    options.progress = [&](std::uint64_t done, Time) {
        EXPECT_GE(done, last);
        last = done;
        ++calls;
    };
    const Schedule schedule = pattern("dissemination", 1 << 16, 8);
    (void)simulate(schedule, options);
    EXPECT_GT(calls, 3U);
    EXPECT_LE(last, schedule.operations());
}

TEST(Simulate, RunsThatOverflowTimeAreRefused) {
    RankGraph graph;
    for (std::uint32_t i = 0; i < 4; ++i) {
        graph.add(calc_op(max_op_size / 6));
        if (i > 0) graph.require(i, i - 1);
    }
    EXPECT_THROW((void)simulate(one_rank(graph), {}), TooLong);
    RankGraph huge;
    huge.add(send_op(0, max_op_size));
    huge.add(recv_op(0, max_op_size));
    EXPECT_THROW((void)simulate(one_rank(huge), {}), TooLong);
    RankGraph fits;
    fits.add(calc_op(max_op_size / 4));
    EXPECT_EQ(simulate(one_rank(fits), {}).time.ps(), static_cast<std::int64_t>(max_op_size / 4));
}

// Found by fuzzing: two receives of one rank, each to be posted when the other has been, were posted until
// there was no memory.
TEST(Simulate, DamagedReceivesThatWaitForEachOtherAreRefused) {
    std::ifstream file(project_folder() + "/tests/fuzz/corpus/schedule_run/receives_again", std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(input.size(), 200U);
    const fuzzing::MendedBytes mended(reinterpret_cast<const std::uint8_t*>(input.data()) + 1,
                                      input.size() - 1);
    const Schedule schedule = Schedule::from_memory(mended.bytes(), "damaged.orr");
    EXPECT_THROW((void)simulate(schedule, {}), InputError);
}

} // namespace
} // namespace orrery::simulate_test
