// The neighbourhood collectives.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps neighbor_linear(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
