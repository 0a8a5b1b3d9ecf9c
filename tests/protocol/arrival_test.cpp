// Messages match where and when their envelopes arrive. On the crossbar a message of B bytes takes 2 us + B ns.
#include "drivers/crossbar.h"

#include <gtest/gtest.h>

namespace orrery::arrival_test {
namespace {

using test::ActionScript;
using test::run_on_crossbar;

ReplayOptions eager_up_to(Bytes bytes) {
    ReplayOptions options;
    options.endpoint.eager_below = options.endpoint.flows_below = bytes + 1;
    return options;
}

ReplayOptions as_sent(ReplayOptions options = {}) {
    options.endpoint.matching = Matching::at_send;
    return options;
}

Time finish(ActionScript& script, std::uint32_t rank, const ReplayOptions& options = {}) {
    script.rewind();
    return run_on_crossbar(script, options).base.ranks[rank].finish;
}

TEST(MatchingAtArrival, AProbeSeesAMessageWhenItHasArrived) {
    ActionScript script(2);
    script.compute(0, 100).message(0, ActionKind::send, 1, 1000);
    script.message(1, ActionKind::probe, 0, 0).compute(1, 10).message(1, ActionKind::recv, 0, 1000);
    EXPECT_EQ(finish(script, 1), Time::ns(100 + 2000 + 1000 + 10));
    EXPECT_EQ(finish(script, 1, as_sent()), Time::ns(100 + 2000 + 1000)); // seen at 100 ns, there later
}

// The request of a rendezvous takes a latency. The data goes when the receive is there, 10 ns later.
TEST(MatchingAtArrival, AProbeSeesTheRequestOfARendezvous) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 100'000);
    script.message(1, ActionKind::probe, 0, 0).compute(1, 10).message(1, ActionKind::recv, 0, 100'000);
    EXPECT_EQ(finish(script, 1), Time::ns(2000 + 10 + 2000 + 2000 + 100'000));
    EXPECT_EQ(finish(script, 0), Time::ns(2000 + 10 + 2000 + 2000 + 100'000));
}

// Rank 1 sends first, rank 2 a shorter message a little later, which is there first.
TEST(MatchingAtArrival, AReceiveFromAnySourceTakesWhatArrivesFirst) {
    ActionScript script(3);
    script.message(1, ActionKind::send, 0, 50'000);
    script.compute(2, 100).message(2, ActionKind::send, 0, 1);
    script.message(0, ActionKind::recv, any_source, 50'000).compute(0, 7);
    script.message(0, ActionKind::recv, any_source, 50'000);
    // The short one shares the link for 2 ns; it does not hold up the computation.
    EXPECT_EQ(finish(script, 0), Time::ns(2000 + 50'000 + 1));
    ActionScript named(3);
    named.message(1, ActionKind::send, 0, 50'000);
    named.compute(2, 100).message(2, ActionKind::send, 0, 1);
    named.message(0, ActionKind::recv, any_source, 50'000).compute(0, 7'000);
    EXPECT_NE(test::failure_on_crossbar(named).find("bytes from rank 1 to rank 0"), std::string::npos);
}

// The second is shorter and would be there first; it waits for the one before it, whatever its tag.
TEST(MatchingAtArrival, MessagesOfAPairArriveInTheOrderOfTheirSends) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 50'000, 0, 1)
        .message(0, ActionKind::isend, 1, 1000, 1, 2)
        .wait_all(0);
    script.message(1, ActionKind::recv, 0, 1000, 0, 2).message(1, ActionKind::recv, 0, 50'000, 0, 1);
    EXPECT_EQ(finish(script, 1), Time::us(2 + 51));
}

// A request overtakes the data of an eager message in the network, but not at the receive.
TEST(MatchingAtArrival, ARequestWaitsForTheEagerMessageBeforeIt) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 10'000, 0).message(0, ActionKind::isend, 1, 20'000, 1).wait_all(0);
    script.message(1, ActionKind::recv, any_source, 20'000).message(1, ActionKind::recv, any_source, 20'000);
    // 12 us for the first, then the clear-to-send and the data of the second.
    EXPECT_EQ(finish(script, 1, eager_up_to(10'000)), Time::us(12 + 2 + 2 + 20));
}

// Without a handshake a rendezvous is announced at once, in its place.
TEST(MatchingAtArrival, WithoutAHandshakeARendezvousIsAnnouncedInItsTurn) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 10'000, 0).message(0, ActionKind::isend, 1, 20'000, 1).wait_all(0);
    script.message(1, ActionKind::recv, 0, 20'000).message(1, ActionKind::recv, 0, 20'000);
    ReplayOptions options = eager_up_to(10'000);
    options.endpoint.handshake = false;
    EXPECT_EQ(finish(script, 1, options), Time::us(12 + 2 + 20));
    ActionScript alone(2);
    alone.message(0, ActionKind::send, 1, 20'000);
    alone.message(1, ActionKind::recv, 0, 20'000);
    EXPECT_EQ(finish(alone, 1, options), Time::us(2 + 20));
}

// Cancelled while it is held behind another: nobody sees it, and what comes behind it is not lost.
TEST(MatchingAtArrival, ACancelledMessageLeavesItsPlace) {
    ActionScript script(2);
    Action cancel;
    cancel.kind = ActionKind::cancel;
    cancel.request = 1;
    script.message(0, ActionKind::isend, 1, 50'000, 0, 1).message(0, ActionKind::isend, 1, 10, 1, 2);
    script.compute(0, 10'000).add(0, cancel).message(0, ActionKind::isend, 1, 20, 2, 2).wait_all(0);
    script.message(1, ActionKind::recv, 0, 20, 0, 2).message(1, ActionKind::recv, 0, 50'000, 0, 1);
    EXPECT_EQ(finish(script, 1), Time::ns(2000 + 50'000 + 10 + 20));
}

} // namespace
} // namespace orrery::arrival_test
