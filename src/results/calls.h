// The calls that a replay tells of, by number, name and kind: what timelines show and summaries add up.
#pragma once

#include "results/replay_prediction.h"
#include "workload/action.h"

#include <cstddef>
#include <string>

namespace orrery {

// One number for each kind of action, then one for each collective, blocking and nonblocking, one for each call
// of a window and one for nonblocking one-sided operations: tables of strings are written once and named by it.
inline constexpr std::size_t first_window_call = action_kinds + 2 * collective_count;
inline constexpr std::size_t nonblocking_one_sided = first_window_call + window_calls;
inline constexpr std::size_t call_numbers = nonblocking_one_sided + 1;

inline std::size_t call_number(const Action& action) {
    if (action.kind == ActionKind::collective)
        return action_kinds + static_cast<std::size_t>(action.collective) +
               (action.nonblocking ? collective_count : 0);
    if (action.kind == ActionKind::window) return first_window_call + action.other;
    if (action.kind == ActionKind::one_sided && action.nonblocking) return nonblocking_one_sided;
    return static_cast<std::size_t>(action.kind);
}
Action action_of_call(std::size_t number);        // one that has this number
const std::string& call_name(std::size_t number); // "waitall", "allreduce", "iallreduce", "win_lock"
CallKind call_kind(std::size_t number);
inline CallKind call_kind(const Action& action) { return call_kind(call_number(action)); }

} // namespace orrery
