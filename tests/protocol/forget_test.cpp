// Requests that nobody waits for: buffered sends, freed and cancelled requests.
#include "drivers/crossbar.h"

#include <gtest/gtest.h>

namespace orrery::forget_test {
namespace {

using test::ActionScript;
using test::failure_on_crossbar;
using test::run_on_crossbar;

TEST(ReplayForget, AForgottenSendIsStillReceivedAndItsNumberIsFree) {
    ActionScript script(2);
    for (int i = 0; i < 3; ++i)
        script.message(0, ActionKind::isend, 1, 100'000, 0).wait(0, 0, ActionKind::forget); // rendezvous
    script.message(0, ActionKind::isend, 1, 8, 0).wait(0, 0);
    script.compute(1, 50'000);
    for (int i = 0; i < 3; ++i) script.message(1, ActionKind::recv, 0, 100'000);
    script.message(1, ActionKind::recv, 0, 8);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::zero()); // waits for the eager one only
    EXPECT_GT(prediction.base.ranks[1].finish, Time::us(50 + 300));
    EXPECT_EQ(prediction.base.messages, 4U);
}

TEST(ReplayForget, AForgottenMessageMustBeReceivedAsAnyOther) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 8, 0, 3).wait(0, 0, ActionKind::forget);
    script.compute(1, 10);
    const std::string words = failure_on_crossbar(script);
    EXPECT_NE(words.find("8 bytes from rank 0 to rank 1 with tag 3"), std::string::npos) << words;
}

TEST(ReplayForget, ACancelledReceiveTakesNoMessageFromALaterOne) {
    ActionScript script(2);
    script.message(0, ActionKind::irecv, any_source, 1000, 0).wait(0, 0, ActionKind::forget);
    script.message(0, ActionKind::irecv, 1, 1000, 0).wait(0, 0);
    script.compute(1, 5000).message(1, ActionKind::send, 0, 1000);
    EXPECT_EQ(run_on_crossbar(script).base.ranks[0].finish, Time::us(8));
}

TEST(ReplayForget, AFreedReceiveTakesTheMessageThatNobodyElseDoes) {
    for (const Bytes bytes : {Bytes{1000}, Bytes{1'000'000}}) { // eager and rendezvous
        ActionScript script(2);
        script.message(0, ActionKind::irecv, 1, bytes, 0).wait(0, 0, ActionKind::forget);
        script.message(1, ActionKind::send, 0, bytes).compute(1, 10);
        const ReplayPrediction prediction = run_on_crossbar(script);
        EXPECT_EQ(prediction.base.bytes, bytes);
    }
}

TEST(ReplayForget, AForgottenCollectiveEndsByItself) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        script.nonblocking(rank, Collective::bcast, 1000, 0).wait(rank, 0, ActionKind::forget);
        script.nonblocking(rank, Collective::barrier, 0, 0).wait(rank, 0);
    }
    EXPECT_GT(run_on_crossbar(script).base.messages, 3U);
}

TEST(ReplayForget, ANumberThatStandsForNothingIsIgnored) {
    ActionScript script(1);
    script.wait(0, 7, ActionKind::forget).compute(0, 1000);
    EXPECT_EQ(run_on_crossbar(script).base.time, Time::us(1));
}

} // namespace
} // namespace orrery::forget_test
