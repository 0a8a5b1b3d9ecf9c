// Messages above the eager limit that the receiver's CPU fetches, within a host: exact times.
#include "drivers/crossbar.h"

#include <gtest/gtest.h>

namespace orrery::fetch_test {
namespace {

using test::ActionScript;

// One host, no way between its ranks: a message is there when it is sent. A send costs 1 us, a receive 2 us and
// 1 ns per byte, the completion of a send that was fetched 3 us; the sender is told 0.5 us before the end.
ReplayOptions fetching() {
    Settings settings;
    settings.set("endpoint.send_overhead", "1us", "test");
    settings.set("endpoint.isend_overhead", "1us", "test");
    settings.set("endpoint.recv_overhead", "0:2us:1ns/B", "test");
    settings.set("endpoint.eager_limit", "1000 B", "test");
    settings.set("endpoint.handshake", "no", "test");
    settings.set("endpoint.fetch", "yes", "test");
    settings.set("endpoint.send_completion", "3us", "test");
    settings.set("endpoint.fetch_tail", "500ns", "test");
    ReplayOptions options;
    options.endpoint = read_endpoint_parameters(settings);
    return options;
}

std::vector<Time> finish_times(ActionScript& script) {
    const Platform platform = test::crossbar(1, script.ranks());
    FlowNetwork network(platform, FlowParameters{});
    const ReplayPrediction prediction =
        replay({{&script, Time::zero(), std::vector<HostId>(script.ranks(), HostId{0})}}, platform, network,
               fetching());
    std::vector<Time> times;
    for (const RankTimes& rank : prediction.base.ranks) times.push_back(rank.finish);
    return times;
}

constexpr Bytes large = 10'000; // fetched in 12 us

TEST(ReplayFetch, TheSenderIsDoneShortlyBeforeTheEndOfTheFetch) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, large).message(1, ActionKind::recv, 0, large);
    EXPECT_EQ(finish_times(script), (std::vector{Time::ns(13'000 - 500 + 3000), Time::us(13)}));
}

TEST(ReplayFetch, AnEagerMessageIsNotFetched) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 1000).message(1, ActionKind::recv, 0, 1000);
    EXPECT_EQ(finish_times(script), (std::vector{Time::us(1), Time::us(4)}));
}

TEST(ReplayFetch, ASynchronousOneIsWhateverItsSize) {
    ActionScript script(2);
    script.message(0, ActionKind::ssend, 1, 1000).message(1, ActionKind::recv, 0, 1000);
    EXPECT_EQ(finish_times(script), (std::vector{Time::ns(4000 - 500 + 3000), Time::us(4)}));
}

// A pause of an emulated program is within a call or outside.
TEST(ReplayFetch, ItGoesOnInAPauseWithinACall) {
    for (const Pause how : {Pause::in_call, Pause::outside}) {
        ActionScript script(2);
        Action pause;
        pause.kind = ActionKind::sleep;
        pause.volume = 50e-6;
        pause.other = static_cast<std::uint32_t>(how);
        script.message(1, ActionKind::irecv, 0, large, 0).add(1, pause).wait(1, 0);
        script.message(0, ActionKind::send, 1, large);
        const bool within = how == Pause::in_call;
        EXPECT_EQ(finish_times(script)[0], Time::ns((within ? 13'000 : 62'000) - 500 + 3000));
        script.rewind();
        EXPECT_EQ(finish_times(script)[1], within ? Time::us(50) : Time::us(62));
    }
}

TEST(ReplayFetch, NothingMovesWhileTheReceiverComputes) {
    for (const bool posted : {false, true}) {
        ActionScript script(2);
        script.message(0, ActionKind::send, 1, large);
        if (posted) script.message(1, ActionKind::irecv, 0, large, 0);
        script.compute(1, 100'000); // 100 us
        if (posted) {
            script.wait(1, 0);
        } else {
            script.message(1, ActionKind::recv, 0, large);
        }
        EXPECT_EQ(finish_times(script), (std::vector{Time::ns(114'500), Time::us(112)})) << posted;
    }
}

TEST(ReplayFetch, TheSenderMayComputeMeanwhile) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, large, 0).compute(0, 100'000).wait(0, 0);
    script.message(1, ActionKind::recv, 0, large);
    EXPECT_EQ(finish_times(script), (std::vector{Time::us(1 + 100 + 3), Time::us(13)}));
}

TEST(ReplayFetch, OneAfterTheOther) {
    ActionScript script(2);
    for (std::uint32_t i = 0; i < 3; ++i) {
        script.message(0, ActionKind::isend, 1, large, i);
        script.message(1, ActionKind::irecv, 0, large, i);
    }
    script.wait_all(0).wait_all(1);
    EXPECT_EQ(finish_times(script)[1], Time::us(1 + 3 * 12));
}

TEST(ReplayFetch, AnExchangeFetchesOnBothSidesAtOnce) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        Action action;
        action.kind = ActionKind::sendrecv;
        action.peer = action.other = 1 - rank;
        action.bytes = action.more_bytes = large;
        script.add(rank, action);
    }
    // Both are busy fetching when they are told, so the completion comes after it.
    EXPECT_EQ(finish_times(script), (std::vector{Time::us(16), Time::us(16)}));
}

TEST(ReplayFetch, AnyCallThatWaitsMakesProgress) {
    for (const bool blocking : {true, false}) {
        ActionScript script(2);
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            script.message(rank, ActionKind::irecv, 1 - rank, large, 0);
            if (blocking) {
                script.message(rank, ActionKind::send, 1 - rank, large);
            } else {
                script.message(rank, ActionKind::isend, 1 - rank, large, 1).wait(rank, 1);
            }
            script.wait(rank, 0);
        }
        EXPECT_EQ(finish_times(script), (std::vector{Time::us(16), Time::us(16)})) << blocking;
    }
}

TEST(ReplayFetch, ACallEndsOnlyAfterTheFetchThatItHasBegun) {
    ActionScript script(3);
    script.message(0, ActionKind::isend, 1, large, 0).wait(0, 0);
    // Waits for a short message of rank 2, which comes while the long one is fetched.
    script.message(1, ActionKind::irecv, 0, large, 0).message(1, ActionKind::recv, 2, 0, 0, 5).wait(1, 0);
    script.compute(2, 4000).message(2, ActionKind::send, 1, 0, 0, 5);
    // Fetched until 13 us, then the overhead of the short one.
    EXPECT_EQ(finish_times(script)[1], Time::us(15));
}

TEST(ReplayFetch, ATestFetchesToo) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, large);
    script.message(1, ActionKind::irecv, 0, large, 0).compute(1, 20'000).wait(1, 0, ActionKind::test);
    EXPECT_EQ(finish_times(script)[1], Time::us(32));
}

TEST(ReplayFetch, TheEndOfTheProgramFetchesWhatIsLeft) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, large);
    script.message(1, ActionKind::irecv, 0, large, 0).compute(1, 50'000);
    EXPECT_EQ(finish_times(script), (std::vector{Time::ns(62'000 + 2500), Time::us(50)}));
}

TEST(ReplayFetch, AForgottenSendIsFetchedAllTheSame) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, large, 0).wait(0, 0, ActionKind::forget);
    script.compute(1, 5000).message(1, ActionKind::recv, 0, large);
    EXPECT_EQ(finish_times(script), (std::vector{Time::us(1), Time::us(17)}));
}

TEST(ReplayFetch, BetweenHostsMessagesGoOverTheNetwork) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, large).message(1, ActionKind::recv, 0, large);
    const ReplayPrediction prediction = test::run_on_crossbar(script, fetching());
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(1 + 2 + 10));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(1 + 2 + 10 + 12));
}

} // namespace
} // namespace orrery::fetch_test
