#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps simgrid_bcast_pipeline(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_bcast_knomial(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_bcast_smp_binomial(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_bcast_split_binary(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
