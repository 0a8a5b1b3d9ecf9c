// Replays as Paraver traces: valid, and with the messages and times of the run.
#include "drivers/crossbar.h"
#include "drivers/graph/schedule_driver.h"
#include "formats/formats.h"
#include "formats/goal/goal_text_reader.h"
#include "formats/paraver/paraver_events.h"
#include "observe/paraver/mpi_trace.h"
#include "observe/paraver/prv_file.h"

#include <gtest/gtest.h>

namespace orrery::mpi_trace_test {
namespace {

using observe_test::contents;
using observe_test::PrvCommunication;
using observe_test::PrvEvent;
using observe_test::PrvFile;
using observe_test::temporary_file;
using test::ActionScript;

struct Written {
    ReplayPrediction prediction;
    PrvFile file;
};

Written write(ActionScript& script, const char* name, ReplayOptions options = {}) {
    const std::string path = temporary_file(name);
    ParaverRun run{{script.ranks()}, {}};
    for (std::uint32_t rank = 0; rank < script.ranks(); ++rank)
        run.hosts.push_back(fmt::format("host{}", rank / 2)); // two to a host, as far as the trace says
    for (std::uint32_t rank = 0; rank < script.ranks(); ++rank)
        run.starts.push_back(options.skew.of(RankId{rank}));
    const std::unique_ptr<ReplayTimeline> timeline = make_paraver_timeline(path, run);
    options.observer = timeline.get();
    ReplayPrediction prediction = test::run_on_crossbar(script, options);
    timeline->finish(prediction.base.time);
    return {std::move(prediction), PrvFile(path)};
}

std::uint64_t number(const char* call) { return paraver_call_named(call)->number; }

TEST(ParaverMpiTrace, AMessageWithItsCallsAndStates) {
    ActionScript script(2);
    script.compute(0, 5000).message(0, ActionKind::send, 1, 100'000, 0, 7);
    script.compute(1, 1000).message(1, ActionKind::recv, 0, 100'000, 0, 7);
    const auto [prediction, file] = write(script, "message.prv");
    ASSERT_EQ(file.all_complaints(), "");
    EXPECT_EQ(file.end, 111'000U); // 5 us, a handshake of 4 us, 102 us
    ASSERT_EQ(file.communications.size(), 1U);
    const PrvCommunication& message = file.communications[0];
    EXPECT_EQ(message.from[1], 1U);
    EXPECT_EQ(message.to[1], 2U);
    EXPECT_EQ(message.logical_send, 5'000U);
    EXPECT_EQ(message.physical_send, 9'000U);
    EXPECT_EQ(message.logical_receive, 1'000U);
    EXPECT_EQ(message.physical_receive, 111'000U);
    EXPECT_EQ(message.bytes, 100'000U);
    EXPECT_EQ(message.tag, 7U);
    ASSERT_EQ(file.events.size(), 4U);
    EXPECT_EQ(file.events[0].value, number("MPI_Recv"));
    EXPECT_EQ(file.events[0].time, 1'000U);
    EXPECT_EQ(file.events[0].type, 50000001U);
    EXPECT_EQ(file.events[1].value, number("MPI_Send"));
    ASSERT_EQ(file.states.size(), 4U);
    EXPECT_EQ(file.state_names.at(file.states[0].state), "Running");
    EXPECT_EQ(file.cpus, std::vector<std::uint64_t>({2}));
    EXPECT_EQ(file.labels.at("NODE")[0], "host0");
    EXPECT_EQ(file.value_names.at(50000001).at(number("MPI_Send")), "MPI_Send");
}

// A message that comes before its receive is posted: received physically first.
TEST(ParaverMpiTrace, AnEagerMessageThatWaits) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 1000);
    script.compute(1, 50000).message(1, ActionKind::recv, 0, 1000);
    const auto [prediction, file] = write(script, "eager.prv");
    ASSERT_EQ(file.all_complaints(), "");
    ASSERT_EQ(file.communications.size(), 1U);
    EXPECT_EQ(file.communications[0].physical_send, 0U);
    EXPECT_EQ(file.communications[0].physical_receive, 3'000U);
    EXPECT_EQ(file.communications[0].logical_receive, 50'000U);
    // Calls that take no time are there, too: entered, then left.
    ASSERT_EQ(file.events.size(), 4U);
    EXPECT_EQ(file.events[0].value, number("MPI_Send"));
    EXPECT_EQ(file.events[1].value, 0U);
}

TEST(ParaverMpiTrace, HasTheMessagesOfTheRunAndEveryCallEnds) {
    ActionScript script(8);
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
        for (std::uint32_t round = 1; round < 5; ++round) {
            script.message(rank, ActionKind::irecv, (rank + 8 - round) % 8, 1000 * round, 0);
            script.message(rank, ActionKind::isend, (rank + round) % 8, 1000 * round, 1).wait_all(rank);
            script.compute(rank, 1000.0 * (rank + round)).collective(rank, Collective::allreduce, 512);
        }
        script.collective(rank, Collective::barrier, 0);
    }
    const auto [prediction, file] = write(script, "rounds.prv");
    ASSERT_EQ(file.all_complaints(), "");
    EXPECT_EQ(file.communications.size(), prediction.point_to_point);
    EXPECT_LT(prediction.point_to_point, prediction.base.messages);
    std::uint64_t bytes = 0;
    for (const PrvCommunication& each : file.communications) bytes += each.bytes;
    EXPECT_EQ(bytes, prediction.point_to_point_bytes);
    EXPECT_EQ(file.end, static_cast<std::uint64_t>(prediction.base.time.ps() + 500) / 1000);

    std::map<std::array<std::uint64_t, 3>, std::uint64_t> inside; // the call that each rank is in
    std::map<std::uint64_t, int> calls;
    for (const PrvEvent& each : file.events) {
        if (each.type > last_mpi_event) continue;
        EXPECT_NE(inside[each.who] == 0, each.value == 0) << "enters and leaves take turns";
        inside[each.who] = each.value;
        if (each.value != 0) ++calls[each.value];
    }
    EXPECT_EQ(calls[number("MPI_Isend")], 32);
    EXPECT_EQ(calls[number("MPI_Irecv")], 32);
    EXPECT_EQ(calls[number("MPI_Waitall")], 32);
    EXPECT_EQ(calls[number("MPI_Allreduce")], 32);
    EXPECT_EQ(calls[number("MPI_Barrier")], 8);
    // The states of a rank leave no gap.
    std::map<std::array<std::uint64_t, 3>, std::uint64_t> until;
    for (const auto& each : file.states) {
        EXPECT_EQ(each.begin, until[each.who]);
        until[each.who] = each.end;
    }
    for (const auto& [who, time] : until) EXPECT_EQ(time, file.end);
}

TEST(ParaverMpiTrace, OneSidedCommunicationHasAGroupOfItsOwn) {
    const std::string path = temporary_file("one_sided.prv");
    const std::unique_ptr<ReplayTimeline> timeline = make_paraver_timeline(path, {{1}, {"host"}});
    Action action;
    action.kind = ActionKind::one_sided;
    action.bytes = 8;
    timeline->performed({0}, action, Time::zero(), Time::us(1));
    action.nonblocking = true; // without a number in Paraver
    timeline->performed({0}, action, Time::us(1), Time::us(2));
    action.kind = ActionKind::window;
    timeline->performed({0}, action, Time::us(2), Time::us(5));
    timeline->finish(Time::us(5));
    const PrvFile file(path);
    ASSERT_EQ(file.all_complaints(), "");
    ASSERT_EQ(file.events.size(), 4U);
    EXPECT_EQ(file.events[0].type, 50000004U);
    EXPECT_EQ(file.events[0].value, number("MPI_Put"));
    EXPECT_EQ(file.events[2].value, number("MPI_Win_fence"));
    EXPECT_EQ(file.value_names.at(50000004).at(number("MPI_Put")), "MPI_Put");
    ASSERT_EQ(file.states.size(), 3U);
    EXPECT_EQ(file.state_names.at(file.states[1].state), "Immediate Send");
    EXPECT_EQ(file.state_names.at(file.states[2].state), "Synchronization");
}

TEST(ParaverMpiTrace, CollectivesSayWhatTheyCarry) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.collective(rank, Collective::bcast, 4096, world, 1);
    const auto [prediction, file] = write(script, "bcast.prv");
    ASSERT_EQ(file.all_complaints(), "");
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> values; // task, type
    for (const PrvEvent& each : file.events) {
        if (each.value != 0) values[{each.who[1], each.type}] = each.value;
    }
    EXPECT_EQ((values[{2, paraver_sent_bytes}]), 4096U);
    EXPECT_EQ((values[{1, paraver_received_bytes}]), 4096U);
    EXPECT_EQ((values[{2, paraver_root}]), 1U);
    EXPECT_EQ((values[{1, paraver_root}]), 0U);
    EXPECT_EQ((values[{1, paraver_communicator}]), 1U);
    EXPECT_EQ(values.count({1, 50000002}), 1U);
}

TEST(ParaverMpiTrace, ALateStartIsNotCreated) {
    ActionScript script(2);
    script.compute(0, 1000);
    script.compute(1, 1000);
    ReplayOptions options;
    options.skew = StartSkew::parse("uniform:50us", 3);
    const auto [prediction, file] = write(script, "late.prv", options);
    ASSERT_EQ(file.all_complaints(), "");
    EXPECT_EQ(file.state_names.at(file.states[0].state), "Not created");
}

TEST(ParaverMpiTrace, JobsAreApplications) {
    ActionScript first(2);
    ActionScript second(3);
    first.message(0, ActionKind::send, 1, 10);
    first.message(1, ActionKind::recv, 0, 10);
    second.message(2, ActionKind::send, 0, 20);
    second.message(0, ActionKind::recv, 2, 20).compute(1, 100);
    const std::string path = temporary_file("jobs.prv");
    const auto timeline = make_paraver_timeline(path, {{2, 3}, {"a", "b", "b", "a", "c"}});
    const Platform platform = test::crossbar(5);
    FlowNetwork network(platform, FlowParameters{});
    ReplayOptions options;
    options.observer = timeline.get();
    const ReplayPrediction prediction = replay({{&first, Time::zero(), {HostId{0}, HostId{1}}},
                                                {&second, Time::zero(), {HostId{1}, HostId{0}, HostId{2}}}},
                                               platform, network, options);
    timeline->finish(prediction.base.time);
    const PrvFile file(path);
    ASSERT_EQ(file.all_complaints(), "");
    EXPECT_EQ(file.tasks.size(), 2U);
    EXPECT_EQ(file.announced_communicators, 2U);
    EXPECT_EQ(file.cpus, std::vector<std::uint64_t>({2, 2, 1}));
    ASSERT_EQ(file.communications.size(), 2U);
    const bool swapped = file.communications[0].from[0] == 2;
    EXPECT_EQ(file.communications[swapped ? 0 : 1].from, (std::array<std::uint64_t, 3>{2, 3, 1}));
}

TEST(ParaverMpiTrace, SchedulesHaveOneToo) {
    ScheduleBuilder builder("test.goal");
    read_goal_text("num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 1000b to 1\nl2 requires l1\n}\n"
                   "rank 1 {\nl1: recv 1000b from 0\nl2: calc 7000\nl2 requires l1\n}\n",
                   "test.goal", builder);
    const Schedule schedule = builder.take();
    const std::string path = temporary_file("schedule.prv");
    const auto timeline = make_paraver_timeline(path, {{2}, {"a", "b"}});
    const Platform platform = test::crossbar(2);
    FlowNetwork network(platform, FlowParameters{});
    ReplayOptions options;
    options.observer = timeline.get();
    options.endpoint.isend_overhead = Piecewise({{0, 1e6, 0}}); // 1 us
    const ReplayPrediction prediction = replay(schedule, platform, test::one_each(2), network, options);
    timeline->finish(prediction.base.time);
    const PrvFile file(path);
    ASSERT_EQ(file.all_complaints(), "");
    ASSERT_EQ(file.communications.size(), 1U);
    EXPECT_EQ(file.communications[0].physical_receive, 9'000U);
    std::map<std::uint64_t, int> calls;
    for (const PrvEvent& each : file.events) ++calls[each.value];
    EXPECT_EQ(calls[number("MPI_Isend")], 1);
    EXPECT_EQ(calls[number("MPI_Irecv")], 1);
}

} // namespace
} // namespace orrery::mpi_trace_test
