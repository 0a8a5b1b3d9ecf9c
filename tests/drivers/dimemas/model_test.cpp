// The time model, one closed form each. Unless a test says otherwise: L = 10 us, 100 x 2^20 bytes per second,
// so that 2^20 bytes take x = 10 ms; bursts of 1 ms.
#include "engine/error.h"
#include "run_text.h"

#include <gtest/gtest.h>

namespace orrery::model_test {
using namespace orrery::test;

namespace {

constexpr std::int64_t us = 1'000'000; // in ps
constexpr std::int64_t ms = 1'000 * us;
constexpr std::int64_t L = 10 * us;
constexpr std::int64_t x = 10 * ms;
constexpr std::int64_t burst = ms;
const std::string mega = "1048576";

std::int64_t time_of(const std::vector<std::vector<std::string>>& tasks, const MachineText& machine,
                     const dimemas::SimulationOptions& options = {}) {
    return run_dimemas_text(trace_text(tasks), machine.text(), options).base.time.ps();
}

std::string send(int to, const std::string& bytes, int how, int tag = 1) {
    return fmt::format("2:{}:-1:{}:{}:1:{}", to, bytes, tag, how);
}
std::string receive(int from, const std::string& bytes, int how, int tag = 1) {
    return fmt::format("3:{}:-1:{}:{}:1:{}", from, bytes, tag, how);
}
std::string work(double seconds = 0.001) { return fmt::format("1:{:.9f}", seconds); }
std::string all(int operation, const std::string& sent, const std::string& received, int how = 1,
                int root = 0) {
    return fmt::format("10:{}:1:{}:0:{}:{}:{}", operation, root, sent, received, how);
}

} // namespace

TEST(DimemasModel, MatchedMessageTakesLatencyAndTransfer) {
    EXPECT_EQ(time_of({{work(), send(1, mega, 0)}, {work(), receive(0, mega, 0)}}, {}), burst + L + x);
}

TEST(DimemasModel, SenderPaysItsLatencyOnly) {
    const ReplayPrediction answer = run_dimemas_text(
        trace_text({{work(), send(1, mega, 0)}, {work(), receive(0, mega, 0)}}), MachineText().text());
    EXPECT_EQ(answer.base.ranks[0].finish.ps(), burst + L);
    EXPECT_EQ(answer.calls[0][CallKind::send].ps(), L);
    EXPECT_EQ(answer.calls[1][CallKind::receive].ps(), L + x);
}

TEST(DimemasModel, MessageThatIsThereCostsLatencyOnly) {
    EXPECT_EQ(time_of({{work(), send(1, mega, 0)}, {work(0.1), receive(0, mega, 0)}}, {}), 100 * ms + L);
}

TEST(DimemasModel, WaitsForDeliveredMessagesCostLatencyEach) {
    std::vector<std::string> receiver{work(0)};
    std::vector<std::string> sender{work(0)};
    for (int i = 0; i < 5; ++i) {
        sender.push_back(send(1, "1", 2, i));
        receiver.push_back(receive(0, "1", 1, i));
    }
    receiver.push_back(work(0.1));
    for (int i = 0; i < 5; ++i) receiver.push_back(receive(0, "1", 2, i));
    EXPECT_EQ(time_of({sender, receiver}, {}), 100 * ms + 5 * L);
}

TEST(DimemasModel, ExchangeInBothDirections) {
    const std::vector<std::vector<std::string>> tasks{
        {work(), receive(1, mega, 1), send(1, mega, 2), receive(1, mega, 2)},
        {work(), receive(0, mega, 1), send(0, mega, 2), receive(0, mega, 2)}};
    MachineText machine;
    EXPECT_EQ(time_of(tasks, machine), burst + L + x);
    machine.out = 0; // half duplex
    EXPECT_EQ(time_of(tasks, machine), burst + L + 2 * x);
}

TEST(DimemasModel, RendezvousWaitsForTheReceive) {
    // Ssend: the transfer begins once the receiver has paid its latency; the sender goes on then.
    const std::string trace =
        trace_text({{work(), send(1, mega, 1), work()}, {work(0.02), receive(0, mega, 0)}});
    const ReplayPrediction answer = run_dimemas_text(trace, MachineText().text());
    EXPECT_EQ(answer.base.time.ps(), 20 * ms + L + x);
    EXPECT_EQ(answer.base.ranks[0].finish.ps(), 20 * ms + L + burst);
    // A nonblocking receive lets it begin at once.
    EXPECT_EQ(
        time_of({{work(), send(1, mega, 1)}, {work(0), receive(0, mega, 1), work(), receive(0, mega, 2)}}, {}),
        burst + L + x);
}

TEST(DimemasModel, RendezvousFromASizeOn) {
    const std::vector<std::vector<std::string>> tasks{{work(), send(1, mega, 0), work()},
                                                      {work(0.02), receive(0, mega, 0)}};
    dimemas::SimulationOptions options;
    options.rendezvous_from = 1048576;
    EXPECT_EQ(time_of(tasks, {}, options), 20 * ms + L + x);
    options.rendezvous_from = 1048577;
    EXPECT_EQ(time_of(tasks, {}, options), 20 * ms + L);
}

TEST(DimemasModel, AsynchronousSendsDoNotWaitWhateverTheTraceSays) {
    // 1: a synchronous send. Asynchronous, its message is there before the receive: that costs L only.
    const std::vector<std::vector<std::string>> tasks{{work(), send(1, mega, 1), work()},
                                                      {work(0.02), receive(0, mega, 0)}};
    dimemas::SimulationOptions options;
    EXPECT_EQ(time_of(tasks, {}, options), 20 * ms + L + x);
    options.asynchronous_sends = true;
    EXPECT_EQ(time_of(tasks, {}, options), 20 * ms + L);
    // The size decides all the same, as in Dimemas.
    options.rendezvous_from = 1048576;
    EXPECT_EQ(time_of(tasks, {}, options), 20 * ms + L + x);
}

TEST(DimemasModel, BusesCarryOneMessageEach) {
    std::vector<std::vector<std::string>> tasks;
    for (int i = 0; i < 4; ++i) tasks.push_back({work(), send(4 + i, mega, 0)});
    for (int i = 0; i < 4; ++i) tasks.push_back({work(), receive(i, mega, 0)});
    MachineText machine;
    machine.nodes = 8;
    for (const auto& [buses, rounds] : {std::pair(0, 1), {1, 4}, {2, 2}, {3, 2}, {4, 1}}) {
        machine.buses = buses;
        EXPECT_EQ(time_of(tasks, machine), burst + L + rounds * x) << buses;
    }
}

TEST(DimemasModel, InputLinksCarryOneMessageEach) {
    std::vector<std::vector<std::string>> tasks{{work()}};
    for (int i = 1; i <= 4; ++i) tasks[0].push_back(receive(i, mega, 1));
    for (int i = 1; i <= 4; ++i) tasks[0].push_back(receive(i, mega, 2));
    for (int i = 1; i <= 4; ++i) tasks.push_back({work(), send(0, mega, 2)});
    MachineText machine;
    machine.nodes = 5;
    EXPECT_EQ(time_of(tasks, machine), burst + L + 4 * x);
    machine.in = 2;
    // The fourth wait begins when the last two messages arrive.
    EXPECT_EQ(time_of(tasks, machine), burst + L + 2 * x + L);
    machine.in = machine.out = 0;
    EXPECT_EQ(time_of(tasks, machine), burst + L + x + 3 * L);
}

TEST(DimemasModel, OutputLinkIsTakenFromOneThatWaitsForInput) {
    // Task 1's first message waits for node 2's input link; its second goes to node 3 meanwhile.
    const std::string trace = trace_text(
        {{work(), send(2, "2097152", 2)},
         {work(0.001001), send(2, mega, 2), send(3, mega, 2)},
         {work(), receive(0, "2097152", 1), receive(1, mega, 1), receive(0, "2097152", 2), receive(1, mega, 2)},
         {work(), receive(1, mega, 0)}});
    MachineText machine;
    machine.nodes = 4;
    const ReplayPrediction answer = run_dimemas_text(trace, machine.text());
    EXPECT_EQ(answer.base.ranks[3].finish.ps(), burst + us + 2 * L + x);
    EXPECT_EQ(answer.base.ranks[2].finish.ps(), burst + L + 3 * x);
}

TEST(DimemasModel, WithinANode) {
    MachineText machine;
    machine.nodes = 1;
    machine.cpus = 4;
    machine.mapping = "4 TASKS_PER_NODE";
    machine.intra_latency = 2e-6;
    machine.intra_bandwidth = 1000;
    const std::vector<std::vector<std::string>> tasks{{work(), send(1, mega, 0)},
                                                      {work(), receive(0, mega, 0)},
                                                      {work(), send(3, mega, 0)},
                                                      {work(), receive(2, mega, 0)}};
    EXPECT_EQ(time_of(tasks, machine), burst + 2 * us + ms);
    machine.intra_buses = 1;
    EXPECT_EQ(time_of(tasks, machine), burst + 2 * us + 2 * ms);
}

TEST(DimemasModel, ProcessorsAreSharedInTurn) {
    MachineText machine;
    machine.nodes = 1;
    machine.cpus = 2;
    machine.mapping = "4 TASKS_PER_NODE";
    const std::vector<std::vector<std::string>> tasks(4, {work(0.01)});
    EXPECT_EQ(time_of(tasks, machine), 20 * ms);
    machine.mapping = "FILL_NODES";
    machine.nodes = 2;
    EXPECT_EQ(time_of(tasks, machine), 10 * ms);
    // A thread that waits for a message leaves its processor to another.
    machine.nodes = 1;
    machine.cpus = 1;
    machine.mapping = "2 TASKS_PER_NODE";
    EXPECT_EQ(time_of({{work(0), receive(1, "1", 0)}, {work(0.01), send(0, "1", 0)}}, machine), 10 * ms);
}

TEST(DimemasModel, SpeedOfProcessorsAndModules) {
    MachineText machine;
    machine.speed = 2;
    EXPECT_EQ(time_of({{work(0.01)}, {work(0.004)}}, machine), 5 * ms);
    machine.speed = 0;
    EXPECT_EQ(time_of({{work(0.01)}, {work(0.004)}}, machine), 0);
    machine.speed = 1;
    const std::vector<std::vector<std::string>> tasks{{work(), "20:777:5", work(0.008), "20:777:0", work()},
                                                      {work()}};
    machine.more = "\"modules information\" {777, 5, 4.0};;\n";
    EXPECT_EQ(time_of(tasks, machine), 4 * ms);
    machine.more = "\"modules information\" {777, 5, 0.0};;\n";
    EXPECT_EQ(time_of(tasks, machine), 2 * ms);
    machine.more = "\"modules information\" {777, 5, -0.003};;\n";
    EXPECT_EQ(time_of(tasks, machine), 5 * ms);
    machine.more = "\"modules information\" {777, 6, 4.0};;\n";
    EXPECT_EQ(time_of(tasks, machine), 10 * ms);
}

TEST(DimemasModel, CollectivesMeetAndCostOnce) {
    MachineText machine;
    machine.nodes = 8;
    std::vector<std::vector<std::string>> tasks(8, {work(), all(0, "0", "0"), work()});
    EXPECT_EQ(time_of(tasks, machine), 2 * burst + 6 * L); // fan in and fan out of three stages each
    tasks[3][0] = work(0.005);
    EXPECT_EQ(time_of(tasks, machine), 5 * ms + burst + 6 * L);
    machine.collectives = 2;
    EXPECT_EQ(time_of(tasks, machine), 5 * ms + burst + 14 * L);
    machine.collectives = 1;
    EXPECT_EQ(time_of(tasks, machine), 5 * ms + burst + 2 * L);
}

TEST(DimemasModel, CollectiveTakesTheRootsBytes) {
    MachineText machine;
    machine.nodes = 8;
    std::vector<std::vector<std::string>> tasks(8, {work(), all(1, "1", "1")});
    tasks[2][1] = all(1, mega, "0", 1, 1);
    EXPECT_EQ(time_of(tasks, machine), burst + 3 * (L + x) + 3 * L);
}

TEST(DimemasModel, CollectiveWaitsForTheBuses) {
    // The message holds the only bus when all have come to the barrier.
    MachineText machine;
    machine.nodes = 3;
    machine.buses = 1;
    EXPECT_EQ(time_of({{work(), send(1, mega, 2), all(0, "0", "0")},
                       {work(), receive(0, mega, 1), all(0, "0", "0")},
                       {work(), all(0, "0", "0")}},
                      machine),
              burst + L + x + 2 * 2 * L); // 3 partners on 1 bus: two stages
}

TEST(DimemasModel, ModelsOfTheCommunicationsFile) {
    MachineText machine;
    machine.nodes = 8;
    machine.communications = "models.comm";
    const std::string trace =
        trace_text(std::vector<std::vector<std::string>>(8, {work(), all(11, mega, mega)}));
    const auto run = [&](const std::string& models) {
        return run_dimemas_text(trace, machine.text(), {}, models).base.time.ps();
    };
    EXPECT_EQ(run("Machine globalop: 0 11 LOG 2MAX 0 MAX\n"), burst + 3 * (L + 2 * x));
    EXPECT_EQ(run("Machine globalop: 0 11 0 MAX LIN MEAN\n"), burst + 7 * (L + x));
    EXPECT_EQ(run("Machine globalop: 0 11 CTE S+R CTE MIN\n"), burst + L + 2 * x + L + x);
    EXPECT_EQ(run("Machine globalop: 0 1 CTE MAX CTE MAX\n"), burst + 6 * (L + x)); // of another operation
}

TEST(DimemasModel, NonblockingCollectiveGoesOnBeside) {
    MachineText machine;
    machine.nodes = 4;
    const auto run = [&](double beside) {
        return time_of(std::vector<std::vector<std::string>>(
                           4, {work(), all(11, mega, mega, 0), work(beside), all(11, mega, mega, 2), work()}),
                       machine);
    };
    EXPECT_EQ(run(0.0002), 2 * burst + L + 4 * (L + x));
    EXPECT_EQ(run(0.1), 2 * burst + L + 100 * ms + L);
}

TEST(DimemasModel, ReduceSendsToTheRoot) {
    MachineText machine;
    machine.nodes = 4;
    const std::string trace =
        trace_text(std::vector<std::vector<std::string>>(4, {work(), all(10, mega, mega, 3, 2), work()}));
    const ReplayPrediction answer = run_dimemas_text(trace, machine.text());
    // One input link at the root, task 2: its messages come one after the other.
    EXPECT_EQ(answer.base.ranks[0].finish.ps(), 2 * burst + L + x);
    EXPECT_EQ(answer.base.ranks[3].finish.ps(), 2 * burst + L + 3 * x);
    EXPECT_EQ(answer.base.ranks[2].finish.ps(), 2 * burst + L + 3 * x);
}

TEST(DimemasModel, WideAreaNetworkWithFlightTime) {
    const std::string machine =
        "#DIMEMAS_CONFIGURATION\n"
        "\"wide area network information\" {\"wan\", 2, 0, 4, 0.0, 10.0, 1};;\n"
        "\"environment information\" {\"a\", 0, \"\", 1, 100.0, 0, 3};;\n"
        "\"environment information\" {\"b\", 1, \"\", 1, 100.0, 0, 3};;\n"
        "\"multi node information\" {0, 1, \"\", 1, 1.0, 0.0, 0.0, 0, 1, 0, 1e-05, 1, 1, 0.001};;\n"
        "\"multi node information\" {1, 1, \"\", 1, 1.0, 0.0, 0.0, 0, 1, 0, 1e-05, 1, 1, 0.001};;\n"
        "\"predefined mapping information\" {\"1 TASKS_PER_NODE\"};;\n"
        "\"configuration files\" {\"\", \"\", \"models.comm\", \"\"};;\n";
    const std::string flights = "Flight time: 0 0 0.005\nFlight time: 1 0.003 0\n";
    // The link is free again once the bytes are through; the flight comes behind that.
    const auto one = run_dimemas_text(trace_text({{work(), send(1, mega, 2), send(1, mega, 2)},
                                                  {work(), receive(0, mega, 1), receive(0, mega, 1),
                                                   receive(0, mega, 2), receive(0, mega, 2)}}),
                                      machine, {}, flights);
    EXPECT_EQ(one.base.time.ps(), burst + ms + 200 * ms + 5 * ms);
    // A barrier: within the clusters nothing, over the wide area once each way, with the longest flights.
    const auto barrier = run_dimemas_text(trace_text({{work(), all(0, "0", "0")}, {work(), all(0, "0", "0")}}),
                                          machine, {}, flights);
    EXPECT_EQ(barrier.base.time.ps(), burst + 2 * ms + 8 * ms);
}

TEST(DimemasModel, DedicatedConnectionTakesWhatItAllows) {
    const std::string machine =
        "#DIMEMAS_CONFIGURATION\n"
        "\"wide area network information\" {\"wan\", 2, 1, 4, 0.0, 10.0, 1};;\n"
        "\"environment information\" {\"a\", 0, \"\", 1, 100.0, 0, 3};;\n"
        "\"environment information\" {\"b\", 1, \"\", 1, 100.0, 0, 3};;\n"
        "\"multi node information\" {0, 1, \"\", 1, 1.0, 0.0, 0.0, 0, 1, 0, 1e-05, 1, 1, 0.001};;\n"
        "\"multi node information\" {1, 1, \"\", 1, 1.0, 0.0, 0.0, 0, 1, 0, 1e-05, 1, 1, 0.001};;\n"
        "\"predefined mapping information\" {\"1 TASKS_PER_NODE\"};;\n"
        "\"dedicated connection information\" {0, 0, 1, 1000.0, [1] {7}, 100, >, &, 2000000, <, [1] {1}, 0.0, "
        "0.0};;\n";
    const auto run = [&](const std::string& bytes, int tag) {
        return run_dimemas_text(
                   trace_text({{work(), send(1, bytes, 0, tag)}, {work(), receive(0, bytes, 0, tag)}}), machine)
            .base.time.ps();
    };
    EXPECT_EQ(run(mega, 7), burst + ms);
    EXPECT_EQ(run(mega, 8), burst + ms + 100 * ms);
    EXPECT_EQ(run("2097152", 7), burst + ms + 200 * ms);
}

TEST(DimemasModel, MessagesBetweenThreadsOfATask) {
    const std::string trace = "#DIMEMAS:\"t\":0:1(2),1\nd:1:1:1:0\n"
                              "1:0:0:0.001\n2:0:0:0:1:100:5:1:0\n"
                              "1:0:1:0\n3:0:1:0:0:100:5:1:0\n1:0:1:0.002\n";
    MachineText machine;
    machine.nodes = 1;
    machine.cpus = 2;
    EXPECT_EQ(run_dimemas_text(trace, machine.text()).base.time.ps(), 3 * ms);
}

TEST(DimemasModel, AnySourceTakesTheFirst) {
    MachineText machine;
    machine.nodes = 3;
    const std::vector<std::vector<std::string>> tasks{{work(), receive(-1, "1", 0), receive(-1, "1", 0)},
                                                      {work(0.003), send(0, "1", 0)},
                                                      {work(0.002), send(0, "1", 0)}};
    MachineText free = machine;
    free.bandwidth = 0;
    EXPECT_EQ(time_of(tasks, free), 3 * ms + L);
}

TEST(DimemasModel, DeadlockIsNamed) {
    try {
        (void)time_of({{work(), receive(1, "1", 0)}, {work()}}, {});
        FAIL();
    } catch (const SimulationError& error) {
        EXPECT_NE(std::string(error.what()).find("task 0 in a receive from 1 with tag 1 (line 4)"),
                  std::string::npos)
            << error.what();
    }
}

TEST(DimemasModel, ThreadWithoutBurstFirstIsLeftOut) {
    const ReplayPrediction answer =
        run_dimemas_text(trace_text({{work()}, {"20:1:1", work(0.1)}}), MachineText().text());
    EXPECT_EQ(answer.base.time.ps(), burst);
    ASSERT_EQ(answer.notes.size(), 1U);
    EXPECT_NE(answer.notes[0].find("do not begin with a burst"), std::string::npos);
}

TEST(DimemasModel, UnknownCommunicatorIsRefusedWithItsLine) {
    try {
        (void)time_of({{work(), "10:0:9:0:0:0:0:1"}, {work()}}, {});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.error().line, 4U);
    }
}

// What a damaged trace can say of a collective; each is refused with the line that shows it.
TEST(DimemasModel, CollectivesWithoutTheirMembersAreRefused) {
    const auto refusal = [](const std::string& trace) -> std::string {
        try {
            (void)run_dimemas_text(trace, MachineText().text());
        } catch (const InputError& error) {
            return fmt::format("{}: {}", error.error().line, error.error().reason);
        } catch (const SimulationError& error) {
            return error.what();
        }
        return "accepted";
    };
    // All are leaves: the root is no member.
    EXPECT_EQ(refusal(trace_text({{work(), all(10, mega, mega, 3, 2)}, {work(), all(10, mega, mega, 3, 2)}})),
              "4: task 2 is the root, which is not in communicator 1");
    EXPECT_EQ(refusal(trace_text({{work(), all(10, mega, mega, 3, 1)}, {work(), all(10, mega, mega, 3, 0)}})),
              "6: task 0 is the root here, task 1 elsewhere in the same reduction");
    // Two threads of task 1 come, and nobody else, or the root and both of them.
    const std::string head = "#DIMEMAS:\"t\":0:2(1,2),1\nd:1:1:2:0:1\n";
    const std::string root = "1:0:0:0.001\n";
    const auto reduce = [](int task, int thread, int how) {
        return fmt::format("1:{0}:{1}:0.00{2}\n10:{0}:{1}:{3}:1:0:0:8:8:{4}\n", task, thread, 1 + thread,
                           how == 3 ? 10 : 8, how);
    };
    const std::string twice = "two threads of a task take part in one collective";
    EXPECT_EQ(refusal(head + root + reduce(1, 0, 3) + reduce(1, 1, 3)), "7: " + twice);
    EXPECT_EQ(refusal(head + root + reduce(1, 0, 1) + reduce(1, 1, 1)), "7: " + twice);
    EXPECT_EQ(refusal("#DIMEMAS:\"t\":0:2(2,1),1\nd:1:1:2:0:1\n" + reduce(0, 0, 3) + reduce(0, 1, 3) +
                      "1:1:0:0.001\n"),
              "6: " + twice);
    // Both leaves are under way when the root is there.
    const std::string both =
        "1:1:0:0.001\n10:1:0:10:1:0:0:1048576:8:3\n1:1:1:0.001\n10:1:1:10:1:0:0:2097152:8:3\n";
    EXPECT_EQ(refusal(head + "1:0:0:0.001\n10:0:0:10:1:0:0:8:8:3\n" + both), "8: " + twice);
}

TEST(DimemasModel, UseOfLinksAndBuses) {
    // Two messages to one node, one after the other over its input link; the bus is free half of the time.
    MachineText machine;
    machine.nodes = 3;
    machine.buses = 2;
    const ReplayPrediction answer =
        run_dimemas_text(trace_text({{work(0), send(2, mega, 0)},
                                     {work(0), send(2, mega, 0)},
                                     {work(0), receive(0, mega, 0), receive(1, mega, 0)}}),
                         machine.text());
    const double run = answer.base.time.picoseconds();
    ASSERT_EQ(answer.busiest.size(), 4U);
    EXPECT_EQ(answer.busiest[0].name, "node 2 input");
    EXPECT_DOUBLE_EQ(answer.busiest[0].use, 2 * x / run);
    EXPECT_DOUBLE_EQ(answer.busiest[0].bytes, 2 * 1048576);
    EXPECT_EQ(answer.busiest[1].name, "buses");
    EXPECT_DOUBLE_EQ(answer.busiest[1].use, x / run);
    EXPECT_EQ(answer.busiest[2].name, "node 0 output");
    EXPECT_DOUBLE_EQ(answer.busiest[2].use, x / run);

    // A collective holds all buses.
    const ReplayPrediction collective = run_dimemas_text(
        trace_text(
            {{work(0), all(11, mega, mega)}, {work(0), all(11, mega, mega)}, {work(0), all(11, mega, mega)}}),
        machine.text());
    ASSERT_EQ(collective.busiest.size(), 1U);
    EXPECT_DOUBLE_EQ(collective.busiest[0].use, 1);
}

TEST(DimemasModel, NoiseProlongsBurstsAndNothingElse) {
    // A detour of 0.25 ms each millisecond. Both ranks have the same one, at the same times.
    const auto run = [&](const std::string& values) {
        NoiseOptions how;
        how.coscheduled = true;
        const std::unique_ptr<Noise> noise = noise_from_distribution(values, how);
        dimemas::SimulationOptions options;
        options.noise = noise.get();
        return run_dimemas_text(trace_text({{work(0.03), send(1, mega, 0)}, {work(0), receive(0, mega, 0)}}),
                                MachineText().text(), options);
    };
    const ReplayPrediction quiet = run("period=1000s duration=1ns");
    EXPECT_LE(quiet.base.time.ps() - (30 * ms + L + x), 1000);
    const ReplayPrediction loud = run("period=1ms duration=250us");
    const std::int64_t computed = loud.calls[0][CallKind::compute].ps();
    EXPECT_NEAR(static_cast<double>(computed), 40e9, 1e9); // 3/4 of each millisecond is left
    EXPECT_EQ(loud.base.time.ps(), computed + L + x);
    EXPECT_EQ(loud.calls[0][CallKind::other], Time::zero());
}

TEST(DimemasModel, NoiseDelaysWhoWaitsForTheProcessor) {
    MachineText machine;
    machine.nodes = 1;
    machine.mapping = "2 TASKS_PER_NODE";
    const std::unique_ptr<Noise> noise = noise_from_distribution("period=1ms duration=250us", {});
    dimemas::SimulationOptions options;
    options.noise = noise.get();
    const ReplayPrediction answer =
        run_dimemas_text(trace_text({{work(0.03)}, {work(0.03)}}), machine.text(), options);
    EXPECT_EQ(answer.calls[1][CallKind::other], answer.calls[0][CallKind::compute]);
    EXPECT_NEAR(static_cast<double>(answer.base.time.ps()), 80e9, 2e9);
}

TEST(DimemasModel, SameAnswerEveryTime) {
    std::vector<std::vector<std::string>> tasks(16);
    for (int task = 0; task < 16; ++task) {
        tasks[static_cast<std::size_t>(task)].push_back(work(1e-6 * task));
        for (int step = 1; step < 16; ++step) {
            auto& mine = tasks[static_cast<std::size_t>(task)];
            mine.push_back(receive((task + step) % 16, "70000", 1, step));
            mine.push_back(send((task + 16 - step) % 16, "70000", step % 4, step));
        }
        for (int step = 1; step < 16; ++step)
            tasks[static_cast<std::size_t>(task)].push_back(receive((task + step) % 16, "70000", 2, step));
    }
    MachineText machine;
    machine.nodes = 8;
    machine.cpus = 1;
    machine.buses = 3;
    machine.mapping = "2 TASKS_PER_NODE";
    machine.intra_bandwidth = 1000;
    const ReplayPrediction first = run_dimemas_text(trace_text(tasks), machine.text());
    for (int i = 0; i < 3; ++i) {
        const ReplayPrediction again = run_dimemas_text(trace_text(tasks), machine.text());
        EXPECT_EQ(again.base.time, first.base.time);
        EXPECT_EQ(again.base.events, first.base.events);
        for (std::size_t rank = 0; rank < 16; ++rank)
            EXPECT_EQ(again.base.ranks[rank].finish, first.base.ranks[rank].finish);
    }
}

} // namespace orrery::model_test
