// The calls that a replay tells of, by number, name and kind: what timelines show and summaries add up.
#pragma once

#include "observe/replay_prediction.h"
#include "workload/action.h"

#include <cstddef>
#include <string>

namespace orrery {

// One number for each kind of action, then one for each collective, blocking and nonblocking: tables of
// strings are written once and named by it.
inline constexpr std::size_t call_numbers = action_kinds + 2 * collective_count;

std::size_t call_number(const Action& action);
const std::string& call_name(std::size_t number); // "waitall", "allreduce", "iallreduce"
CallKind call_kind(std::size_t number);
inline CallKind call_kind(const Action& action) { return call_kind(call_number(action)); }

} // namespace orrery
