// A trace and the schedule that it becomes must say the same: the same messages and, over a network without
// costs at the CPUs, the same times to the last picosecond.
#include "formats/export/trace_graph.h"

#include "drivers/crossbar.h"
#include "drivers/graph/schedule_driver.h"
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "formats/export/one_sided_script.h"
#include "workload/schedule.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace orrery::trace_graph_test {
namespace {

using test::ActionScript;

struct Exported {
    Schedule schedule;
    TraceScheduleNotes notes;
};

Exported exported(ActionScript& script, const CollectivePolicy& policy = CollectivePolicy()) {
    script.rewind();
    const TraceCommunicators communicators(script);
    script.rewind();
    TraceScheduleOptions options;
    options.collectives = policy;
    options.speed = 1e9;
    ScheduleBuilder builder("test");
    const TraceScheduleNotes notes = write_schedule(script, communicators, options, builder);
    script.rewind();
    return {builder.take(), notes};
}

void expect_same(ActionScript& script) {
    const Exported both = exported(script);
    const ReplayPrediction trace = test::run_on_crossbar(script);
    const Platform platform = test::crossbar(script.ranks());
    FlowNetwork network(platform, FlowParameters{});
    const ReplayPrediction goal = replay(both.schedule, platform, test::one_each(script.ranks()), network, {});
    EXPECT_EQ(trace.base.messages, goal.base.messages);
    EXPECT_EQ(trace.base.bytes, goal.base.bytes);
    for (std::uint32_t rank = 0; rank < script.ranks(); ++rank)
        EXPECT_EQ(trace.base.ranks[rank].finish, goal.base.ranks[rank].finish) << "rank " << rank;
    script.rewind();
}

TEST(TraceGraph, APingPongTakesTheTimeOfTheModel) {
    ActionScript script(2);
    script.compute(0, 5000).message(0, ActionKind::send, 1, 1001, 0, 3).message(0, ActionKind::recv, 1, 1001);
    script.message(1, ActionKind::recv, 0, 1001, 0, 3).message(1, ActionKind::send, 0, 1001);
    const Exported both = exported(script);
    SimulationOptions options;
    options.loggops.o = Time::ns(1500);
    options.loggops.L = Time::ns(2500);
    options.loggops.g = Time::zero();
    options.loggops.G = 6000; // ps per byte
    options.loggops.O = 0;
    // LogGP: 5 us, then twice 2o + L + (s-1)G.
    EXPECT_EQ(simulate(both.schedule, options).time, Time::us(5) + 2 * Time::ns(3000 + 2500 + 6000));
}

TEST(TraceGraph, NonblockingCallsAreWaitedForWhereTheTraceSaysSo) {
    ActionScript script(2);
    script.message(0, ActionKind::irecv, 1, 100'000, 4).message(0, ActionKind::isend, 1, 100'000, 2);
    script.compute(0, 30'000).wait(0, 4).compute(0, 7000).wait_all(0);
    script.message(1, ActionKind::isend, 0, 100'000, 0).compute(1, 10'000);
    script.message(1, ActionKind::recv, 0, 100'000).wait(1, 0);
    expect_same(script);
}

TEST(TraceGraph, AForgottenRequestIsNotWaitedFor) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 1000, 0).wait(0, 0, ActionKind::forget).compute(0, 10);
    script.wait_all(0).message(0, ActionKind::send, 1, 8).compute(1, 500'000);
    script.message(1, ActionKind::recv, 0, 1000).message(1, ActionKind::recv, 0, 8);
    expect_same(script);
    EXPECT_EQ(test::run_on_crossbar(script).base.ranks[0].finish, Time::ns(10));
}

TEST(TraceGraph, TagsKeepCommunicatorsApart) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.dup(rank, 1).create(rank, 5, {1, 0});
    script.message(0, ActionKind::send, 1, 100, 0, 7).message(0, ActionKind::send, 1, 200, 0, 7, 1);
    script.message(0, ActionKind::send, 0, 300, 0, 7, 5); // rank 0 of it is rank 1
    script.message(1, ActionKind::recv, 1, 300, 0, 7, 5).message(1, ActionKind::recv, 0, 200, 0, 7, 1);
    script.message(1, ActionKind::recv, 0, 100, 0, 7);
    expect_same(script);
}

TEST(TraceGraph, WhatAScheduleCannotSayIsCounted) {
    ActionScript script(2);
    script.message(0, ActionKind::ssend, 1, 8).message(0, ActionKind::issend, 1, 8, 0).wait(0, 0);
    script.message(1, ActionKind::probe, 0, 0).message(1, ActionKind::irecv, 0, 8, 0, any_tag);
    script.message(1, ActionKind::irecv, 0, any_bytes, 1);
    script.wait(1, 0, ActionKind::test).wait(1, 0, ActionKind::wait_any).wait_all(1);
    const TraceScheduleNotes notes = exported(script).notes;
    EXPECT_EQ(notes.synchronous, 2U);
    EXPECT_EQ(notes.probes, 1U);
    EXPECT_EQ(notes.any_tag, 1U);
    EXPECT_EQ(notes.tests, 1U);
    EXPECT_EQ(notes.choices, 1U);
    EXPECT_EQ(notes.words().size(), 5U);
}

TEST(TraceGraph, OneSidedCommunicationIsLeftOut) {
    ActionScript script = test::one_sided_script();
    ActionScript plain(2);
    for (const std::uint32_t rank : {0U, 1U}) plain.collective(rank, Collective::barrier, 0);
    plain.message(0, ActionKind::send, 1, 8).message(1, ActionKind::recv, 0, 8);
    const auto predicted = [](const Schedule& schedule) {
        const Platform platform = test::crossbar(2);
        FlowNetwork network(platform, FlowParameters{});
        return replay(schedule, platform, test::one_each(2), network, {}).base;
    };
    const Exported both = exported(script);
    EXPECT_EQ(both.notes.left_out.one_sided, 8U);
    EXPECT_EQ(both.notes.left_out.cancelled, 1U);
    EXPECT_EQ(both.notes.left_out.asides, 2U);
    EXPECT_EQ(both.notes.words().size(), 3U);
    EXPECT_EQ(predicted(both.schedule).messages, predicted(exported(plain).schedule).messages);
    EXPECT_EQ(predicted(both.schedule).time, predicted(exported(plain).schedule).time);
}

TEST(TraceGraph, WhatDoesNotFitIsNamed) {
    ActionScript script(2);
    script.compute(0, 1).message(0, ActionKind::send, 2, 8);
    try {
        exported(script);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("rank0.txt:2: rank 0: names rank 2"), std::string::npos);
    }
}

// Programs that anybody might write: rounds of exchanges, of collectives in parts and nonblocking ones.
ActionScript random_program(std::uint32_t seed, std::uint32_t ranks) {
    std::mt19937 engine(seed);
    const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
    ActionScript script(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) script.split(rank, 1, rank % 2, ranks - rank);
    const std::uint32_t evens = (ranks + 1) / 2;
    constexpr std::array operations{Collective::bcast,     Collective::allreduce, Collective::alltoall,
                                    Collective::allgather, Collective::barrier,   Collective::reduce};
    for (int round = 0; round < 8; ++round) {
        const std::uint32_t kind = random() % 4;
        const Bytes bytes = Bytes{8} << random() % 15;
        const std::uint32_t shift = 1 + random() % (ranks - 1);
        const Collective what = operations[random() % operations.size()];
        const std::uint32_t noise = random();
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            script.compute(rank, (noise >> rank % 16) % 40'000);
            if (kind == 0) {
                script.message(rank, ActionKind::irecv, (rank + ranks - shift) % ranks, bytes, 0, 5);
                script.message(rank, ActionKind::isend, (rank + shift) % ranks, bytes, 1, 5);
                script.compute(rank, 3000).wait(rank, 1).compute(rank, 2000).wait(rank, 0);
            } else if (kind == 1) {
                script.collective(rank, what, bytes, noise % 2, 0);
            } else if (kind == 2) {
                script.nonblocking(rank, what, bytes, 3).compute(rank, 9000).wait(rank, 3);
            } else {
                const std::uint32_t size = rank % 2 == 0 ? evens : ranks - evens;
                const std::uint32_t own = (size - 1) - rank / 2;
                Action action;
                action.kind = ActionKind::sendrecv;
                action.comm = 1;
                action.peer = (own + 1) % size;
                action.other = (own + size - 1) % size;
                action.bytes = action.more_bytes = bytes;
                script.add(rank, action);
            }
        }
    }
    return script;
}

TEST(TraceGraph, RandomProgramsTakeTheSameTime) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        ActionScript script = random_program(seed, 3 + seed % 7);
        expect_same(script);
        if (testing::Test::HasFailure()) return;
    }
}

} // namespace
} // namespace orrery::trace_graph_test
