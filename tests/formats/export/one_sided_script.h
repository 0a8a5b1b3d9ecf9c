// Two ranks with all that exports leave out, and between that a barrier and a message of 8 bytes.
#pragma once

#include "drivers/action_script.h"

namespace orrery::test {

inline Action window_action(WindowCall call, std::uint32_t peer = 0) {
    Action action;
    action.kind = ActionKind::window;
    action.other = static_cast<std::uint32_t>(call);
    action.peer = peer;
    return action;
}

inline ActionScript one_sided_script() {
    ActionScript script(2);
    for (const std::uint32_t rank : {0U, 1U}) {
        const std::uint32_t other = 1 - rank;
        script.add(rank, window_action(WindowCall::lock, other));
        Action action;
        action.kind = ActionKind::one_sided;
        action.peer = other;
        action.bytes = 100;
        script.add(rank, action);
        action.nonblocking = true;
        script.add(rank, action).wait(rank, 0).add(rank, window_action(WindowCall::unlock, other));
        script.add(rank, window_action(WindowCall::fence));
        action = {};
        action.kind = ActionKind::aside;
        action.request = 1;
        script.add(rank, script.with_counts(action, {0, other, 0, 0, 16, 0})).wait_all(rank);
    }
    script.message(0, ActionKind::isend, 1, 500, 0, 3).message(0, ActionKind::send, 1, 8);
    script.wait(0, 0, ActionKind::cancel).message(1, ActionKind::recv, 0, 8);
    return script;
}

} // namespace orrery::test
