// Gather and gatherv, scatter and scatterv. The irregular ones have linear algorithms only: the other ranks do
// not know the counts.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

// A rank other than the root may be `in_place` here, unlike in MPI, when another collective is built on these:
// its block then lies at its place in its receive buffer.
Steps gather_linear(CollectiveCall call, CollectiveTuning tuning);
Steps gather_linear_posted(CollectiveCall call, CollectiveTuning tuning);
Steps gather_linear_blocking(CollectiveCall call, CollectiveTuning tuning);
Steps gather_linear_sync(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_gather_linear_sync(CollectiveCall call, CollectiveTuning tuning);
Steps gather_by_binomial(CollectiveCall call, CollectiveTuning tuning);

Steps scatter_linear(CollectiveCall call, CollectiveTuning tuning);
Steps scatter_linear_posted(CollectiveCall call, CollectiveTuning tuning);
Steps scatter_linear_blocking(CollectiveCall call, CollectiveTuning tuning);
Steps scatter_linear_batched(CollectiveCall call, CollectiveTuning tuning);
Steps scatter_by_binomial(CollectiveCall call, CollectiveTuning tuning);
Steps scatter_binomial_small_first(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
