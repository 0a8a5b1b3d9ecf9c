#include "emulate/action_log.h"

#include <gtest/gtest.h>

namespace orrery::emulate {
namespace {

Action message(ActionKind kind, std::uint32_t request) {
    Action action;
    action.kind = kind;
    action.request = request;
    return action;
}

TEST(ActionLog, TimeWithoutWordsIsAPause) {
    ActionLog log(1, "app");
    log.pause(0, Time::zero()); // nothing
    log.pause(0, Time::us(3));
    const auto actions = log.next(RankId{0});
    ASSERT_EQ(actions.size(), 1U);
    EXPECT_EQ(actions[0].kind, ActionKind::sleep);
    EXPECT_DOUBLE_EQ(actions[0].volume, 3e-6);
}

// The number may have belonged to another send before.
TEST(ActionLog, OfAWithdrawnSendOnlyItsCostIsLeft) {
    ActionLog log(2, "app");
    log.add(1, message(ActionKind::isend, 4));
    log.add(1, message(ActionKind::wait, 4));
    log.add(1, message(ActionKind::issend, 4));
    log.add(1, message(ActionKind::irecv, 5));
    log.withdraw(1, 4, Time::ns(20));
    log.withdraw(1, 9, Time::ns(20)); // there is none
    const auto actions = log.next(RankId{1});
    ASSERT_EQ(actions.size(), 4U);
    EXPECT_EQ(actions[0].kind, ActionKind::isend);
    EXPECT_EQ(actions[2].kind, ActionKind::sleep);
    EXPECT_DOUBLE_EQ(actions[2].volume, 20e-9);
    EXPECT_EQ(actions[3].kind, ActionKind::irecv);
}

TEST(ActionLog, WhatIsLeftOutIsNamedAndCounted) {
    ActionLog log(1, "app");
    EXPECT_TRUE(log.left_out().empty());
    log.leave_out("MPI_Put");
    log.leave_out("MPI_Get");
    log.leave_out("MPI_Put");
    EXPECT_EQ(log.left_out().find("a trace has no words for MPI_Get (1), MPI_Put (2):"), 0U) << log.left_out();
}

} // namespace
} // namespace orrery::emulate
