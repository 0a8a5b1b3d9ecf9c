// Reduce_scatter and reduce_scatter_block: the same algorithms, with counts or with equal blocks.
#pragma once

#include "collectives/blocks.h"
#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

// The blocks of the data to be reduced, one per rank.
Blocks scattered_blocks(const CollectiveCall& call);

Steps reduce_scatter_nonoverlapping(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_linear_scatter(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_exchange_all(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_pairwise(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_ring(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_recursive_halving(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_recursive_doubling(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_butterfly(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_noncommutative(CollectiveCall call, CollectiveTuning tuning);

bool equal_power_of_two(const CollectiveCall& call);

} // namespace orrery::coll
