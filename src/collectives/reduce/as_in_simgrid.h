#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps simgrid_reduce_chain(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_reduce_pipeline(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_reduce_binary(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_reduce_binomial(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
