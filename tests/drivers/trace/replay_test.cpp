// What a replay does with each action, by hand-computed times on a crossbar of 1 GB/s and 1 us per link.
#include "drivers/crossbar.h"

#include <gtest/gtest.h>

namespace orrery::replay_test {
namespace {

using test::ActionScript;

Platform machine(std::uint32_t hosts, std::uint32_t cores = 1) { return test::crossbar(hosts, cores); }
ReplayPrediction run(ActionScript& script, const ReplayOptions& options = {}) {
    return test::run_on_crossbar(script, options);
}
std::string failure(ActionScript& script) { return test::failure_on_crossbar(script); }
ReplayOptions with(const char* collectives) { return test::with_collectives(collectives); }

// One message of B bytes: 2 us + B ns.
TEST(ReplayActions, ComputesAndSends) {
    ActionScript script(2);
    script.compute(0, 5000).message(0, ActionKind::send, 1, 1000);
    script.message(1, ActionKind::recv, 0, 1000).compute(1, 7000);
    const ReplayPrediction prediction = run(script);
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(5)); // eager: the sender goes on
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(5 + 2 + 1 + 7));
    EXPECT_EQ(prediction.calls[1][CallKind::receive], Time::us(8));
    EXPECT_EQ(prediction.calls[1][CallKind::compute], Time::us(7));
    EXPECT_EQ(prediction.base.messages, 1U);
    EXPECT_EQ(prediction.base.bytes, 1000U);
    EXPECT_EQ(prediction.by_size[10], 1U);
}

TEST(ReplayActions, AnEagerMessageFlowsBeforeItsReceiveIsPosted) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 1000);
    script.compute(1, 50000).message(1, ActionKind::recv, 0, 1000);
    EXPECT_EQ(run(script).base.time, Time::us(50));
    script.rewind();
    ReplayOptions smpi;
    smpi.endpoint.flows_below = 0; // as SMPI: the transfer starts at the receive
    smpi.endpoint.matching = Matching::at_send;
    EXPECT_EQ(run(script, smpi).base.time, Time::us(53));
}

// Rendezvous: request 2 us, clear-to-send 2 us, data 2 us + 100 us.
TEST(ReplayActions, ARendezvousShakesHandsAndHoldsTheSender) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 100'000);
    script.message(1, ActionKind::recv, 0, 100'000);
    ReplayPrediction prediction = run(script);
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(106));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(106));

    ActionScript late(2);
    late.message(0, ActionKind::send, 1, 100'000);
    late.compute(1, 10000).message(1, ActionKind::recv, 0, 100'000);
    EXPECT_EQ(run(late).base.time, Time::us(10 + 2 + 102)); // the request is there already

    script.rewind();
    ReplayOptions plain;
    plain.endpoint.handshake = false;
    EXPECT_EQ(run(script, plain).base.time, Time::us(102));
}

TEST(ReplayActions, ASynchronousSendWaitsEvenIfSmall) {
    ActionScript script(2);
    script.message(0, ActionKind::ssend, 1, 1000);
    script.compute(1, 50000).message(1, ActionKind::recv, 0, 1000);
    EXPECT_EQ(run(script).base.ranks[0].finish, Time::us(50 + 2 + 3));
}

TEST(ReplayActions, OverheadsAreSleptBeforeSendingAndAfterReceiving) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 1000);
    script.message(1, ActionKind::recv, 0, 1000);
    ReplayOptions options;
    options.endpoint.send_overhead = Piecewise({{0, 1e6, 1000}}); // 1 us + 1 ns per byte
    options.endpoint.recv_overhead = Piecewise({{0, 3e6, 0}});
    const ReplayPrediction prediction = run(script, options);
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(2));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(2 + 3 + 3));
}

TEST(ReplayActions, OverheadsOfAWaitallAddUpInOrderOfCompletion) {
    // Two messages arrive at 3 us and 13 us; each costs 4 us: 3+4 = 7, then max(7, 13)+4 = 17.
    ActionScript script(3);
    script.message(0, ActionKind::irecv, 1, 1000, 0).message(0, ActionKind::irecv, 2, 1000, 1).wait_all(0);
    script.message(1, ActionKind::send, 0, 1000);
    script.compute(2, 10000).message(2, ActionKind::send, 0, 1000);
    ReplayOptions options;
    options.endpoint.recv_overhead = Piecewise({{0, 4e6, 0}});
    EXPECT_EQ(run(script, options).base.ranks[0].finish, Time::us(17));
}

TEST(ReplayActions, WaitsForOneRequestOrAnotherOrAll) {
    ActionScript script(3);
    script.message(0, ActionKind::irecv, 1, 1000, 0).message(0, ActionKind::irecv, 2, 1000, 1);
    script.wait(0, 0, ActionKind::wait_any).compute(0, 1000).wait(0, 1).wait(0, 0);
    script.compute(1, 20000).message(1, ActionKind::send, 0, 1000);
    script.message(2, ActionKind::send, 0, 1000);
    const ReplayPrediction prediction = run(script);
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(23));
    EXPECT_EQ(prediction.calls[0][CallKind::wait], Time::us(22));
}

TEST(ReplayActions, AnyMeansTheFirstToComplete) {
    ActionScript script(3);
    script.message(0, ActionKind::irecv, 1, 1000, 0).message(0, ActionKind::irecv, 2, 1000, 1);
    script.wait(0, 0, ActionKind::wait_any).message(0, ActionKind::send, 2, 8).wait(0, 0).wait(0, 1);
    script.compute(1, 20000).message(1, ActionKind::send, 0, 1000);
    script.message(2, ActionKind::send, 0, 1000).message(2, ActionKind::recv, 0, 8);
    const ReplayPrediction prediction = run(script);
    EXPECT_EQ(prediction.base.ranks[2].finish, Time::ps(5'008'000)); // 3 us, then 2 us and 8 B back
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(23));
}

TEST(ReplayActions, OneOfSeveralThatCompleteTogetherIsTakenAndTheOthersStay) {
    ActionScript script(4);
    for (std::uint32_t from = 1; from < 4; ++from) {
        script.message(0, ActionKind::irecv, from, 0, from);
        script.message(from, ActionKind::send, 0, 0); // no bytes: all arrive at 2 us
    }
    script.wait(0, 0, ActionKind::wait_any).compute(0, 1000).wait(0, 0, ActionKind::wait_any).wait_all(0);
    EXPECT_EQ(run(script).base.ranks[0].finish, Time::us(3));

    ActionScript some(3);
    for (std::uint32_t from = 1; from < 3; ++from) {
        some.message(0, ActionKind::irecv, from, 0, from);
        some.message(from, ActionKind::send, 0, 0);
    }
    some.wait(0, 0, ActionKind::wait_some).compute(0, 1000).wait(0, 1).wait(0, 2);
    EXPECT_EQ(run(some).base.ranks[0].finish, Time::us(3));
}

TEST(ReplayActions, ATestTakesWhatIsThereAndCostsWhatItIsSaidTo) {
    ActionScript script(2);
    script.message(0, ActionKind::irecv, 1, 1000, 0).wait(0, 0, ActionKind::test).compute(0, 10000);
    script.wait(0, 0, ActionKind::test).wait(0, 0);
    script.message(1, ActionKind::send, 0, 1000);
    ReplayOptions options;
    options.endpoint.test = Time::us(1);
    EXPECT_EQ(run(script, options).base.ranks[0].finish, Time::us(12));
}

TEST(ReplayActions, AProbeWaitsForAMessageWithoutTakingIt) {
    ActionScript script(2);
    script.message(0, ActionKind::probe, any_source, 0).message(0, ActionKind::recv, 1, 1000);
    script.compute(1, 9000).message(1, ActionKind::send, 0, 1000);
    EXPECT_EQ(run(script).base.ranks[0].finish, Time::us(12));
}

TEST(ReplayActions, AReceiveFromAnyoneTakesTheMessageThatWasSentFirst) {
    ActionScript script(3);
    script.message(0, ActionKind::recv, any_source, 1000).message(0, ActionKind::recv, any_source, 1000);
    script.compute(1, 5000).message(1, ActionKind::send, 0, 1000);
    script.message(2, ActionKind::send, 0, 1000);
    EXPECT_EQ(run(script).base.ranks[0].finish, Time::us(8));
}

TEST(ReplayActions, ASendrecvGoesBothWaysAtOnce) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        Action action;
        action.kind = ActionKind::sendrecv;
        action.peer = action.other = 1 - rank;
        action.bytes = action.more_bytes = 1000;
        script.add(rank, action);
    }
    EXPECT_EQ(run(script).base.time, Time::us(3));
}

// Three computations of 10 us on two cores: all at 2/3 speed until the end.
TEST(ReplayActions, RanksOnOneHostShareItsCores) {
    ActionScript script(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank) script.compute(rank, 10000);
    const Platform platform = machine(1, 2);
    FlowNetwork network(platform, FlowParameters{});
    const ReplayPrediction prediction =
        replay({{&script, Time::zero(), std::vector<HostId>(3)}}, platform, network, {});
    EXPECT_EQ(prediction.base.time, Time::us(15));
}

TEST(ReplayActions, AComputationThatJoinsLateSlowsTheOthersFromThenOn) {
    // One core. A: 10 us from 0. B: 10 us from 5. A is done at 15, B at 20.
    ActionScript script(2);
    script.compute(0, 10000);
    Action sleep;
    sleep.kind = ActionKind::sleep;
    sleep.volume = 5e-6;
    script.add(1, sleep).compute(1, 10000);
    const Platform platform = machine(1, 1);
    FlowNetwork network(platform, FlowParameters{});
    const ReplayPrediction prediction =
        replay({{&script, Time::zero(), std::vector<HostId>(2)}}, platform, network, {});
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(15));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(20));
}

TEST(ReplayActions, ACollectiveIsItsMessages) {
    ActionScript script(8);
    for (std::uint32_t rank = 0; rank < 8; ++rank) script.collective(rank, Collective::bcast, 1000);
    const ReplayPrediction prediction = run(script, with("bcast=binomial"));
    EXPECT_EQ(prediction.base.messages, 7U);
    // Eager sends leave together and share their rank's link: three from the root, then two, then one.
    EXPECT_EQ(prediction.base.time, Time::us((2 + 3) + (2 + 2) + (2 + 1)));
}

TEST(ReplayActions, CollectivesOfHalvesDoNotMeet) {
    // Split into even and odd ranks, in reverse order; then a broadcast from the new rank 0 in each.
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        script.split(rank, 7, rank % 2, 10 - rank);
        if (rank == 3) script.compute(rank, 100'000); // the root of the odd half
        script.collective(rank, Collective::bcast, 1000, 7, 0);
    }
    const ReplayPrediction prediction = run(script, with("bcast=binomial,allgather=ring"));
    const Time split = prediction.base.ranks[2].finish - Time::zero();
    EXPECT_LT(split, Time::us(60)); // rank 2 is the root of the even half and waits for nobody
    EXPECT_GT(prediction.base.ranks[1].finish, Time::us(100));
    EXPECT_LT(prediction.base.ranks[0].finish, Time::us(60));
}

TEST(ReplayActions, MessagesInACommunicatorUseItsRanks) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) script.split(rank, 1, rank / 2, 4 - rank); // 1,0 and 3,2
    script.message(1, ActionKind::send, 1, 500, 0, 3, 1); // rank 1 is 0 in it and sends to rank 0
    script.message(0, ActionKind::recv, 0, 500, 0, 3, 1);
    EXPECT_EQ(run(script, with("allgather=ring")).base.messages, 4U * 3 + 1);
}

TEST(ReplayActions, ANonblockingCollectiveOverlapsWithComputation) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        script.nonblocking(rank, Collective::bcast, 50'000, 0).compute(rank, 40'000).wait(rank, 0);
    }
    const ReplayPrediction prediction = run(script, with("bcast=binomial"));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(52)); // not 92
    EXPECT_EQ(prediction.calls[1][CallKind::wait], Time::us(12));
}

TEST(ReplayActions, TwoNonblockingCollectivesAtOnceKeepApart) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        script.nonblocking(rank, Collective::allreduce, 1000, 0).nonblocking(rank, Collective::allreduce, 8, 1);
        script.wait(rank, 1).wait(rank, 0);
    }
    EXPECT_GT(run(script).base.messages, 0U);
}

TEST(ReplayActions, JobsStartWhenToldAndShareTheNetwork) {
    ActionScript first(2);
    ActionScript second(2);
    for (ActionScript* script : {&first, &second}) {
        script->message(0, ActionKind::send, 1, 60'000);
        script->message(1, ActionKind::recv, 0, 60'000);
    }
    const Platform platform = machine(3);
    FlowNetwork network(platform, FlowParameters{});
    // Both end at host 2. The first alone for 30 us, then both at half speed.
    const ReplayPrediction prediction = replay(
        {{&first, Time::zero(), {{0}, {2}}}, {&second, Time::us(30), {{1}, {2}}}}, platform, network, {});
    EXPECT_EQ(prediction.jobs[0].finish, Time::us(2 + 30 + 60));
    EXPECT_EQ(prediction.jobs[1].finish, Time::us(2 + 120));
    EXPECT_EQ(prediction.jobs[1].start, Time::us(30));
}

TEST(ReplayActions, GivesTheSameResultEveryTime) {
    const auto once = [] {
        ActionScript script(16);
        for (std::uint32_t rank = 0; rank < 16; ++rank) {
            for (std::uint32_t i = 0; i < 20; ++i) {
                script.compute(rank, 100.0 * ((rank * 7 + i * 13) % 11));
                script.message(rank, ActionKind::irecv, (rank + 15) % 16, 9000, 0);
                script.message(rank, ActionKind::isend, (rank + 1) % 16, 9000, 1).wait_all(rank);
                if (i % 5 == 0) script.collective(rank, Collective::allreduce, 64);
            }
        }
        std::vector<Time> finish;
        for (const RankTimes& rank : run(script).base.ranks) finish.push_back(rank.finish);
        return finish;
    };
    EXPECT_EQ(once(), once());
}

ReplayOptions receiving_costs(Time time) {
    ReplayOptions options;
    options.endpoint.recv_overhead = Piecewise({{0, time.picoseconds(), 0}});
    return options;
}

// The message is there at 2001 ns; its CPU takes it until 2501 ns, the pause ends at 2100 ns.
TEST(ReplayActions, APauseInACallDoesNotInterruptWhatTheCpuTakes) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 1);
    Action pause;
    pause.kind = ActionKind::sleep;
    pause.other = static_cast<std::uint32_t>(Pause::in_call);
    pause.volume = 2.1e-6;
    script.message(1, ActionKind::irecv, 0, 1, 0).add(1, pause).compute(1, 100).wait(1, 0);
    EXPECT_EQ(run(script, receiving_costs(Time::ns(500))).base.ranks[1].finish, Time::ns(2501 + 100));
}

// Both are there when the rank asks for them: the CPU takes them in the order of the receives.
TEST(ReplayActions, AMessageThatAProbeHasTakenKeepsItsPlace) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 1, 0, 1).message(0, ActionKind::isend, 1, 1, 1, 2);
    script.wait_all(0).compute(1, 10'000).message(1, ActionKind::irecv, 0, 1, 0, 1);
    Action probe;
    probe.kind = ActionKind::probe;
    probe.tag = 2;
    probe.other = 7;
    script.add(1, probe);
    Action taken;
    taken.kind = ActionKind::irecv;
    taken.bytes = 1;
    taken.request = 1;
    taken.other = 7;
    script.add(1, taken).wait(1, 0).message(1, ActionKind::isend, 0, 1, 2).wait_all(1);
    script.message(0, ActionKind::recv, 1, 1);
    const ReplayPrediction prediction = run(script, receiving_costs(Time::ns(500)));
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::ns(10'000 + 500 + 2001 + 500));
}

TEST(ReplayFailure, ADeadlockNamesItsCycle) {
    ActionScript script(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        script.compute(rank, 10).message(rank, ActionKind::recv, (rank + 1) % 3, 8, 0, 5);
    }
    const std::string words = failure(script);
    EXPECT_NE(words.find("deadlock"), std::string::npos) << words;
    EXPECT_NE(words.find("rank 1 in recv at rank1.txt:2, for a message from rank 2 with tag 5"),
              std::string::npos)
        << words;
}

TEST(ReplayFailure, AMessageThatNobodyReceivesIsNamed) {
    ActionScript script(2);
    script.compute(0, 10).message(0, ActionKind::send, 1, 8, 0, 5);
    script.compute(1, 10);
    const std::string words = failure(script);
    EXPECT_NE(words.find("8 bytes from rank 0 to rank 1 with tag 5, sent at rank0.txt:2"), std::string::npos)
        << words;
}

TEST(ReplayFailure, AReceiveFromARankThatHasEndedIsNamed) {
    ActionScript script(2);
    script.message(0, ActionKind::recv, 1, 8);
    const std::string words = failure(script);
    EXPECT_NE(words.find("rank 0 in recv at rank0.txt:1"), std::string::npos) << words;
    EXPECT_NE(words.find("rank 1 has ended"), std::string::npos) << words;
}

TEST(ReplayFailure, DifferentCollectivesAreNamed) {
    ActionScript script(2);
    script.collective(0, Collective::barrier, 0).collective(0, Collective::bcast, 8);
    script.collective(1, Collective::barrier, 0).collective(1, Collective::reduce, 8);
    const std::string words = failure(script);
    EXPECT_NE(words.find("rank 0 calls bcast from root 0 at rank0.txt:2"), std::string::npos) << words;
    EXPECT_NE(words.find("rank 1 calls reduce from root 0 at rank1.txt:2"), std::string::npos) << words;
}

TEST(ReplayFailure, PeersAndCommunicatorsOutsideAreNamed) {
    ActionScript peer(2);
    peer.message(0, ActionKind::send, 2, 8);
    EXPECT_NE(failure(peer).find("rank0.txt:1: rank 0: names rank 2, but its communicator has 2 ranks"),
              std::string::npos)
        << failure(peer);
    ActionScript comm(2);
    comm.collective(0, Collective::bcast, 8, 9);
    EXPECT_NE(failure(comm).find("communicator 9 does not exist here"), std::string::npos);
}

} // namespace
} // namespace orrery::replay_test
