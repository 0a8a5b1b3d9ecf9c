// Algorithms in two levels: within the nodes, and among the nodes' leaders. What runs on each level is chosen
// as MPICH chooses among ranks that it does not know to share nodes, or as SimGrid's MVAPICH2 does.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps two_level_barrier(CollectiveCall call, CollectiveTuning tuning);
Steps two_level_bcast(CollectiveCall call, CollectiveTuning tuning);
Steps two_level_bcast_local_first(CollectiveCall call, CollectiveTuning tuning);
Steps two_level_reduce(CollectiveCall call, CollectiveTuning tuning);
Steps two_level_reduce_root_last(CollectiveCall call, CollectiveTuning tuning);
Steps two_level_allreduce(CollectiveCall call, CollectiveTuning tuning);
Steps two_level_scan(CollectiveCall call, CollectiveTuning tuning);
Steps two_level_allgather(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
