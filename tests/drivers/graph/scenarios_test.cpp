// Small schedules whose times were worked out by hand: the rules that no closed form reaches. Each is run by
// both simulators, so that the reference is itself tested here. L=10 o=2 g=3, ns, unless a test says otherwise.
#include "drivers/graph/simulate.h"
#include "formats/goal/goal_text_reader.h"
#include "reference/schedules.h"
#include "reference/simulator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::scenarios_test {
namespace {

LogGOPS small_parameters() {
    LogGOPS p;
    p.L = Time::ns(10);
    p.o = Time::ns(2);
    p.g = Time::ns(3);
    p.G = 0;
    p.O = 0;
    p.S = 100;
    return p;
}

void expect_finish(const std::string& goal, const LogGOPS& parameters, const std::vector<std::int64_t>& ns) {
    SCOPED_TRACE(goal);
    reference::GraphCollector graphs;
    read_goal_text(goal, "test", graphs);
    std::vector<std::int64_t> expected;
    for (const std::int64_t value : ns) expected.push_back(1000 * value);

    const auto slow = reference::reference_simulate(graphs.ranks, parameters);
    std::vector<std::int64_t> finish;
    for (const Time time : slow.finish) finish.push_back(time.ps());
    EXPECT_FALSE(slow.deadlock);
    EXPECT_EQ(finish, expected) << "by the reference";

    SimulationOptions options;
    options.loggops = parameters;
    const Prediction fast = simulate(reference::build_schedule(graphs.ranks), options);
    finish.clear();
    for (const RankTimes& rank : fast.ranks) finish.push_back(rank.finish.ps());
    EXPECT_EQ(finish, expected) << "by the simulator";
}

// Size 0 is not (0 - 1) bytes.
TEST(Scenarios, NoBytes) {
    LogGOPS p = small_parameters();
    p.G = 1000;
    p.O = 1000;
    expect_finish("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n", p, {2, 14});
    expect_finish("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n", p, {2, 14});
    expect_finish("num_ranks 2\nrank 0 {\nsend 2b to 1\n}\nrank 1 {\nrecv 2b from 0\n}\n", p, {3, 15});
}

// `requires` counts across CPUs.
TEST(Scenarios, DependencyBetweenCpus) {
    expect_finish("num_ranks 1\nrank 0 {\na: calc 100 cpu 0\nb: calc 50 cpu 300\nb requires a\n}\n",
                  small_parameters(), {150});
    expect_finish("num_ranks 1\nrank 0 {\na: calc 100 cpu 0\nb: calc 50 cpu 300\nb irequires a\n}\n",
                  small_parameters(), {100});
}

// A posted receive names the CPU and NIC of the reception: CPU 1 is busy until 50, CPU 0 is not.
TEST(Scenarios, ReceptionOnTheCpuOfTheReceive) {
    const std::string goal =
        "num_ranks 2\n"
        "rank 0 {\nsend 8b to 1 cpu 1\n}\n"
        "rank 1 {\nr: recv 8b from 0 cpu 0\ncalc 50 cpu 1\nd: calc 30 cpu 0\nd requires r\n}\n";
    expect_finish(goal, small_parameters(), {2, 50}); // r: 12 to 14, d: 14 to 44
}

// An unexpected message has no receive yet: it takes the numbers of its send. Here CPU 1, free, from 12 to 14,
// though the receive, posted at 20, is on CPU 0.
TEST(Scenarios, UnexpectedOnTheCpuOfTheSend) {
    const std::string goal = "num_ranks 2\n"
                             "rank 0 {\nsend 8b to 1 cpu 1\n}\n"
                             "rank 1 {\nc: calc 20 cpu 0\nr: recv 8b from 0 cpu 0\nr requires c\n"
                             "d: calc 5 cpu 0\nd requires r\n}\n";
    expect_finish(goal, small_parameters(), {2, 25});
}

// Two messages of one pair on different CPUs arrive at 12. The first must wait for CPU 0 until 100; the second
// may not overtake it, though CPU 1 is idle: both are received from 100 to 102, and d runs until 107.
TEST(Scenarios, OrderBetweenOnePair) {
    const std::string goal = "num_ranks 2\n"
                             "rank 0 {\nsend 8b to 1 tag 1 cpu 0 nic 0\nsend 8b to 1 tag 2 cpu 1 nic 1\n}\n"
                             "rank 1 {\ncalc 100 cpu 0\nrecv 8b from 0 tag 1 cpu 0 nic 0\n"
                             "r: recv 8b from 0 tag 2 cpu 1 nic 1\nd: calc 5 cpu 1\nd requires r\n}\n";
    expect_finish(goal, small_parameters(), {2, 107});
}

// Messages of different senders do: the same with the second message from rank 2, received from 12 to 14.
TEST(Scenarios, NoOrderBetweenSenders) {
    const std::string goal = "num_ranks 3\n"
                             "rank 0 {\nsend 8b to 1 tag 1 cpu 0 nic 0\n}\n"
                             "rank 1 {\ncalc 100 cpu 0\nrecv 8b from 0 tag 1 cpu 0 nic 0\n"
                             "r: recv 8b from 2 tag 2 cpu 1 nic 1\nd: calc 5 cpu 1\nd requires r\n}\n"
                             "rank 2 {\nsend 8b to 1 tag 2 cpu 1 nic 1\n}\n";
    expect_finish(goal, small_parameters(), {2, 102, 2});
}

// Rendezvous without a handshake: the send ends when the receiver takes the message, at 50.
TEST(Scenarios, SenderWaits) {
    const std::string goal = "num_ranks 2\n"
                             "rank 0 {\ns: send 101b to 1\nd: calc 5\nd requires s\n}\n"
                             "rank 1 {\nc: calc 50\nr: recv 101b from 0\nr requires c\n}\n";
    expect_finish(goal, small_parameters(), {55, 52});
}

// Request at 12, handled until 14; clear-to-send from 14 to 16, at the sender at 26, handled until 28; data
// sent from 28 to 30 (+O), at the receiver at 40, received until 42 (+max(O, G)): 6o + 3L, and 5o + 2L on the
// sender.
TEST(Scenarios, Handshake) {
    const std::string goal = "num_ranks 2\nrank 0 {\nsend 101b to 1\n}\nrank 1 {\nrecv 101b from 0\n}\n";
    LogGOPS p = small_parameters();
    p.rendezvous = Rendezvous::handshake;
    expect_finish(goal, p, {30, 42});
    p.O = 1000;
    p.G = 2000;
    expect_finish(goal, p, {130, 242});
    p.S = 101; // eager again
    expect_finish(goal, p, {102, 214});
    p.S = 100;
    p.O = p.G = 0;
    p.g =
        Time::ns(60); // the sender's NIC is busy with the request until 60, the receiver's until 72: data at 72
    expect_finish(goal, p, {62, 74});
}

// The receive is posted late, at 50: the request was handled from 12 to 14 on the idle CPU 1 (the send's
// number), the clear-to-send leaves at 50 from CPU 0 and is there at 62; data from 64 to 66, received 76 to 78.
TEST(Scenarios, HandshakeUnexpected) {
    LogGOPS p = small_parameters();
    p.rendezvous = Rendezvous::handshake;
    expect_finish("num_ranks 2\n"
                  "rank 0 {\ns: send 101b to 1 cpu 1\nd: calc 5 cpu 1\nd requires s\n}\n"
                  "rank 1 {\nc: calc 50\nr: recv 101b from 0\nr requires c\n}\n",
                  p, {71, 78});
}

// `irequires` on a handshake send: it started when its request left.
TEST(Scenarios, HandshakeStart) {
    LogGOPS p = small_parameters();
    p.rendezvous = Rendezvous::handshake;
    expect_finish(
        "num_ranks 2\n"
        "rank 0 {\ns: send 101b to 1\nd: calc 5 cpu 1\nd irequires s\ne: calc 90 cpu 1\ne requires d\n}\n"
        "rank 1 {\nrecv 101b from 0\n}\n",
        p, {95, 42});
}

// A message to oneself: sent 0 to 2, back at 12, received until 14; with a handshake as above.
TEST(Scenarios, MessageToOneself) {
    LogGOPS p = small_parameters();
    expect_finish("num_ranks 1\nrank 0 {\nsend 8b to 0\nrecv 8b from 0\n}\n", p, {14});
    expect_finish("num_ranks 1\nrank 0 {\nsend 101b to 0\nrecv 101b from 0\n}\n", p, {14});
    p.rendezvous = Rendezvous::handshake;
    expect_finish("num_ranks 1\nrank 0 {\nsend 101b to 0\nrecv 101b from 0\n}\n", p, {42});
}

// Of the operations that wait for one CPU the oldest goes first; of those that became free together, a send
// goes before a receive before a computation, whatever the order in the file.
TEST(Scenarios, SendsFirst) {
    expect_finish("num_ranks 2\n"
                  "rank 0 {\na: calc 10\nb: calc 10\nc: send 8b to 1\nb requires a\nc requires a\n}\n"
                  "rank 1 {\nrecv 8b from 0\n}\n",
                  small_parameters(), {22, 24});
}

// Many receives at the start, each with a tag of its own, and one more of tag 5 that is posted later, at 300:
// the second message of tag 5 is unexpected until then. Messages leave every 3 ns (g) and arrive from 12 on. At
// 300 one is received, until 302; d runs until 402; the last four are received from 402, 405, 408 and 411 on.
TEST(Scenarios, ManyReceivesFromTheStart) {
    std::string sender;
    std::string receiver =
        "c: calc 300 cpu 1\nr: recv 8b from 0 tag 5\nr requires c\nd: calc 100\nd requires r\n";
    for (int tag = 0; tag < 100; ++tag) {
        sender += "send 8b to 1 tag " + std::to_string(tag) + "\n";
        receiver += "recv 8b from 0 tag " + std::to_string(tag) + "\n";
        if (tag == 50) sender += "send 8b to 1 tag 5\n";
    }
    expect_finish("num_ranks 2\nrank 0 {\n" + sender + "}\nrank 1 {\n" + receiver + "}\n", small_parameters(),
                  {302, 413});
}

// A rank without operations ends at once.
TEST(Scenarios, NothingToDo) {
    expect_finish("num_ranks 2\nrank 0 {\n}\nrank 1 {\ncalc 7\n}\n", small_parameters(), {0, 7});
}

} // namespace
} // namespace orrery::scenarios_test
