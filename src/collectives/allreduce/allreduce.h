// The reductions whose result everybody gets.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps allreduce_linear(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_exchange_all(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_nonoverlapping(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_reduce_bcast(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_recursive_doubling(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_dissemination(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_ring(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_ring_segmented(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_ring_segmented_or_logical(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_exchange_ring(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_logical_ring(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_rabenseifner(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_scatter_allgather(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_scatter_allgather_last_longer(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_halving_linear_allgather(CollectiveCall call, CollectiveTuning tuning);
Steps allreduce_alltoall_allgather(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
