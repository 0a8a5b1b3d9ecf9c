// Scan and exscan: what the ranks up to this one, or before it, give.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps scan_linear(CollectiveCall call, CollectiveTuning tuning);
Steps scan_to_all_higher(CollectiveCall call, CollectiveTuning tuning);
Steps scan_hillis_steele(CollectiveCall call, CollectiveTuning tuning);
Steps scan_recursive_doubling(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
