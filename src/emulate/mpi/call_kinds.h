// What kind of time a call is, for the table of where time went.
#pragma once

#include "function_ids.h"
#include "observe/replay_prediction.h"

namespace orrery::emulate::mpi {

CallKind kind_of(FunctionId function);

} // namespace orrery::emulate::mpi
