// Ranks that begin late: in traces, in schedules over any network, and in the LogGOPS model.
#include "drivers/crossbar.h"
#include "drivers/graph/schedule_driver.h"
#include "drivers/graph/simulate.h"
#include "formats/formats.h"
#include "formats/goal/goal_text_reader.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

namespace orrery::skewed_start_test {
namespace {

const StartSkew skew = StartSkew::parse("uniform:50us", 3);
Time late(std::uint32_t rank) { return skew.of(RankId{rank}); }

TEST(SkewedStart, ARankDoesNothingBeforeItBegins) {
    test::ActionScript script(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank) script.compute(rank, 1000.0 * (rank + 1));
    ReplayOptions options;
    options.skew = skew;
    const ReplayPrediction prediction = test::run_on_crossbar(script, options);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(prediction.base.ranks[rank].finish, late(rank) + Time::us(rank + 1));
        EXPECT_EQ(prediction.calls[rank][CallKind::compute], Time::us(rank + 1));
        EXPECT_EQ(prediction.calls[rank][CallKind::other], late(rank)); // all of its time is accounted for
    }
}

TEST(SkewedStart, MessagesWaitForTheLaterOne) {
    test::ActionScript script(2);
    script.message(0, ActionKind::send, 1, 1000);
    script.message(1, ActionKind::recv, 0, 1000);
    ReplayOptions options;
    options.skew = skew;
    EXPECT_EQ(test::run_on_crossbar(script, options).base.ranks[1].finish,
              later(late(0) + Time::us(3), late(1)));
}

// Counted through over all jobs, after the start of each.
TEST(SkewedStart, AddsToTheStartOfAJob) {
    test::ActionScript first(1);
    test::ActionScript second(1);
    first.compute(0, 1000);
    second.compute(0, 1000);
    const Platform platform = test::crossbar(2);
    FlowNetwork network(platform, FlowParameters{});
    ReplayOptions options;
    options.skew = skew;
    const ReplayPrediction prediction =
        replay({{&first, Time::zero(), {HostId{0}}}, {&second, Time::us(100), {HostId{1}}}}, platform, network,
               options);
    EXPECT_EQ(prediction.base.ranks[0].finish, late(0) + Time::us(1));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(100) + late(1) + Time::us(1));
}

Schedule from_text(const std::string& text) {
    ScheduleBuilder builder("test.goal");
    read_goal_text(text, "test.goal", builder);
    return builder.take();
}

// An all-to-all of every rank with every other, by hand; `first`: a computation before everything else of each.
std::string everyone_to_everyone(std::uint32_t ranks, bool first) {
    std::string text = fmt::format("num_ranks {}\n", ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        text += fmt::format("rank {} {{\n", rank);
        // GOAL counts nanoseconds.
        if (first) text += fmt::format("l0: calc {}\n", (late(rank).ps() + 999) / 1000);
        std::uint32_t label = 1;
        for (std::uint32_t other = 0; other < ranks; ++other) {
            if (other == rank) continue;
            for (const std::string& op : {fmt::format("send {}b to {}", 100 * (rank + 1), other),
                                          fmt::format("recv {}b from {}", 100 * (other + 1), other)}) {
                text += fmt::format("l{}: {}\n", label, op);
                if (first) text += fmt::format("l{} requires l0\n", label);
                ++label;
            }
        }
        text += "}\n";
    }
    return text;
}

TEST(SkewedStart, SchedulesOverANetwork) {
    const Schedule schedule =
        from_text("num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 1000b to 1\nl2 requires "
                  "l1\n}\nrank 1 {\nl1: recv 1000b from 0\nl2: calc 7000\nl2 requires l1\n}\n");
    const Platform platform = test::crossbar(2);
    FlowNetwork network(platform, FlowParameters{});
    ReplayOptions options;
    options.skew = skew;
    const ReplayPrediction prediction = replay(schedule, platform, test::one_each(2), network, options);
    EXPECT_EQ(prediction.base.ranks[0].finish, late(0) + Time::us(5));
    EXPECT_EQ(prediction.base.ranks[1].finish, later(late(0) + Time::us(8), late(1)) + Time::us(7));
}

// A late start is a computation before everything else: within the nanosecond that GOAL can say, as small
// differences do not grow here.
TEST(SkewedStart, InTheLogGOPSModelItIsAComputationBeforeEverythingElse) {
    for (const char* const parameters :
         {"L=2500ns o=1500ns g=4us G=6ns/B O=8ns/B S=65535B", "L=2us o=100ns g=200ns G=1ns/B O=0 S=200B"}) {
        const Schedule plain = from_text(everyone_to_everyone(5, false));
        const Schedule delayed = from_text(everyone_to_everyone(5, true));
        SimulationOptions options;
        options.loggops = parse_loggops(parameters);
        const Prediction expected = simulate(delayed, options);
        const Time together = simulate(plain, options).time;
        options.skew = skew;
        const Prediction skewed = simulate(plain, options);
        for (std::uint32_t rank = 0; rank < 5; ++rank) {
            EXPECT_NEAR(skewed.ranks[rank].finish.seconds(), expected.ranks[rank].finish.seconds(), 1.1e-9)
                << parameters << ", rank " << rank;
        }
        EXPECT_GT(skewed.time, together);
    }
}

TEST(SkewedStart, PatternsOfAllKindsFinish) {
    for (const char* const name : {"dissemination", "linear-alltoall", "ring", "sweep"}) {
        PatternOptions pattern = find_pattern(name).defaults;
        pattern.ranks = 16;
        ScheduleBuilder builder(name);
        generate(*make_pattern(name, pattern), 16, builder);
        const Schedule schedule = builder.take();
        SimulationOptions options;
        const Time without = simulate(schedule, options).time;
        options.skew = skew;
        Recording recording;
        options.recording = &recording;
        const Time with = simulate(schedule, options).time;
        EXPECT_GE(with, without) << name;
        EXPECT_LE(with, without + Time::us(60)) << name; // the order of work on a CPU may change
    }
}

} // namespace
} // namespace orrery::skewed_start_test
