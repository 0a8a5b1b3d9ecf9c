// The barriers. Messages without data; only their order matters.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps barrier_linear(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_linear_nonblocking(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_double_ring(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_recursive_doubling(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_dissemination(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_dissemination_posted(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_two_proc(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_tree(CollectiveCall call, CollectiveTuning tuning);
Steps barrier_tournament(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
