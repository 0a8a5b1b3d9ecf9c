// Schedules over the flow network: hand-computed times on a crossbar of 1 GB/s and 1 us per link.
#include "drivers/graph/schedule_driver.h"
#include "engine/error.h"
#include "formats/formats.h"
#include "formats/goal/goal_text_reader.h"
#include "network/flow/flow_network.h"
#include "network/flow/test_platforms.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

namespace orrery::schedule_driver_test {
namespace {

Schedule from_text(const std::string& text) {
    ScheduleBuilder builder("test.goal");
    read_goal_text(text, "test.goal", builder);
    return builder.take();
}

Schedule pattern(const char* name, std::uint32_t ranks, Bytes bytes) {
    PatternOptions options = find_pattern(name).defaults;
    options.ranks = ranks;
    options.bytes = bytes;
    ScheduleBuilder builder(name);
    generate(*make_pattern(name, options), ranks, builder);
    return builder.take();
}

ReplayPrediction run(const Schedule& schedule, const ReplayOptions& options = {}) {
    const Platform platform = test::crossbar(schedule.ranks(), {1e9, Time::us(1), Sharing::shared});
    FlowNetwork network(platform, FlowParameters{});
    std::vector<HostId> hosts;
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) hosts.push_back({rank});
    return replay(schedule, platform, hosts, network, options);
}

TEST(ScheduleDriver, DependenciesOverheadsAndBytes) {
    const Schedule schedule =
        from_text("num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 1000b to 1\nl2 requires l1\n}\n"
                  "rank 1 {\nl1: recv 1000b from 0\nl2: calc 7000\nl2 requires l1\n}\n");
    EXPECT_EQ(run(schedule).base.time, Time::us(5 + 3 + 7));
    ReplayOptions options;
    options.endpoint.isend_overhead = options.endpoint.recv_overhead = Piecewise({{0, 1e6, 0}}); // 1 us
    const ReplayPrediction prediction = run(schedule, options);
    EXPECT_EQ(prediction.base.time, Time::us(5 + 1 + 3 + 1 + 7));
    EXPECT_EQ(prediction.base.ranks[1].overhead, Time::us(1));
    EXPECT_EQ(prediction.calls[1][CallKind::wait], Time::us(17 - 8));
}

TEST(ScheduleDriver, IndependentOperationsOfACpuGoOneAfterTheOther) {
    const Schedule one = from_text("num_ranks 1\nrank 0 {\ncalc 3000\ncalc 4000\n}\n");
    EXPECT_EQ(run(one).base.time, Time::us(7));
    const Schedule two = from_text("num_ranks 1\nrank 0 {\ncalc 3000 cpu 0\ncalc 4000 cpu 1\n}\n");
    EXPECT_EQ(run(two).base.time, Time::us(4));
}

TEST(ScheduleDriver, ADependencyOnTheStartLetsOperationsOverlap) {
    const Schedule schedule =
        from_text("num_ranks 2\nrank 0 {\nl1: recv 1000b from 1\nl2: calc 1000\nl2 irequires l1\n}\n"
                  "rank 1 {\nl1: calc 9000\nl2: send 1000b to 0\nl2 requires l1\n}\n");
    const ReplayPrediction prediction = run(schedule);
    EXPECT_EQ(prediction.base.time, Time::us(12));
    EXPECT_EQ(prediction.calls[0][CallKind::compute], Time::us(1));
}

// One byte to distance 2^r in round r: each round is a permutation, so nobody shares a link.
TEST(ScheduleDriver, APatternWithoutContentionIsItsRounds) {
    const ReplayPrediction prediction = run(pattern("dissemination", 16, 1000));
    EXPECT_EQ(prediction.base.time, Time::us(4 * 3));
    EXPECT_EQ(prediction.base.messages, 64U);
}

// All leave the root's one link at once, so the last byte of each arrives with that of all others.
TEST(ScheduleDriver, AScatterIsBoundByTheRootsLink) {
    EXPECT_EQ(run(pattern("scatter", 9, 1000)).base.time, Time::us(2 + 8));
}

TEST(ScheduleDriver, GivesTheSameResultEveryTime) {
    const Schedule schedule = pattern("linear-alltoall", 12, 5000);
    EXPECT_EQ(run(schedule).base.time, run(schedule).base.time);
    EXPECT_EQ(run(schedule).base.time, Time::us(2 + 11 * 5));
}

TEST(ScheduleDriver, ADeadlockIsNamed) {
    const Schedule schedule =
        from_text("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 3\n}\nrank 1 {\nrecv 8b from 0 tag 4\n}\n");
    try {
        run(schedule);
        FAIL() << "no error";
    } catch (const SimulationError& error) {
        EXPECT_NE(std::string(error.what()).find("rank 0"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace orrery::schedule_driver_test
