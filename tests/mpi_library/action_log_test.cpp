#include "mpi_library/action_log.h"

#include <gtest/gtest.h>

namespace orrery::emulate::action_log_test {
namespace {

Action message(ActionKind kind, std::uint32_t request) {
    Action action;
    action.kind = kind;
    action.request = request;
    return action;
}

TEST(ActionLog, TimeWithoutWordsIsAPause) {
    ActionLog log(1, "app");
    log.pause(0, Time::zero(), Pause::in_call); // nothing
    log.pause(0, Time::us(3), Pause::in_call);
    const auto actions = log.next(RankId{0});
    ASSERT_EQ(actions.size(), 1U);
    EXPECT_EQ(actions[0].kind, ActionKind::sleep);
    EXPECT_DOUBLE_EQ(actions[0].volume, 3e-6);
}

// The number may have belonged to another send before.
TEST(ActionLog, AForgottenSendCanBeRemembered) {
    ActionLog log(2, "app");
    log.add(1, message(ActionKind::isend, 4));
    log.add(1, message(ActionKind::forget, 4));
    log.add(1, message(ActionKind::isend, 4));
    log.add(1, message(ActionKind::forget, 4));
    log.add(1, message(ActionKind::irecv, 5));
    log.unforget(1, 4);
    log.unforget(1, 9); // there is none
    const auto actions = log.next(RankId{1});
    ASSERT_EQ(actions.size(), 4U);
    EXPECT_EQ(actions[1].kind, ActionKind::forget);
    EXPECT_EQ(actions[2].kind, ActionKind::isend);
    EXPECT_EQ(actions[3].kind, ActionKind::irecv);
}

} // namespace
} // namespace orrery::emulate::action_log_test
