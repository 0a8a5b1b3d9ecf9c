// The reductions to a root.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"
#include "collectives/tree.h"

namespace orrery::coll {

Steps reduce_linear(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_linear_nonblocking(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_chain(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_pipeline(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_binary(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_k_ary(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_binomial(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_in_order_binary(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_binomial_blocking(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_knomial(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_binomial_swapped(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_heap(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_pipeline_posted(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_rabenseifner(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_gather(CollectiveCall call, CollectiveTuning tuning);
Steps reduce_scatter_gather_last_longer(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
