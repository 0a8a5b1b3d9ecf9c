// What kind of time a call is, for the table of where time went; what it is called in timelines.
#pragma once

#include "function_ids.h"
#include "results/replay_prediction.h"
#include "workload/action.h"

#include <optional>

namespace orrery::emulate::mpi {

CallKind kind_of(FunctionId function);
// What the call is to those who watch. `logged`: what it left in the trace, or null; taken if it is what the
// function is called, or if no action is called so. None: it is nothing that takes time.
std::optional<Action> action_of(FunctionId function, const Action* logged);

} // namespace orrery::emulate::mpi
