// The broadcasts. MPI's one buffer is `receive_buffer`, on the root too.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"
#include "collectives/tree.h"

namespace orrery::coll {

Steps bcast_linear(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_chain(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_pipeline(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_split_binary(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_binary(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_k_ary(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_binomial(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_binomial_blocking(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_knomial(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_scatter_allgather(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_scatter_allgather_ring(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_scatter_doubling_bytes(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_scatter_ring_bytes(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_binomial_swapped(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_heap(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_linear_segmented(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_pipeline_by_zero(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_binary_by_zero(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_node_chains_by_zero(CollectiveCall call, CollectiveTuning tuning);
Steps bcast_node_heaps_by_zero(CollectiveCall call, CollectiveTuning tuning);

// Down any tree, segment by segment.
Steps bcast_along(Tree tree, Bytes all, Bytes segment);

} // namespace orrery::coll
