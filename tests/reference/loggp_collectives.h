// A little LogGP machine that the steps of a collective are run on, to hold the cost formulas against.
#pragma once

#include "collectives/algorithms.h"
#include "collectives/cost.h"
#include "collectives/symbolic.h"

#include <vector>

namespace orrery::test {

// When the last rank is done. Sends are buffered: they cost the sender its overhead, and its wire what the
// model says.
double loggp_time(const Algorithm& algorithm, CollectiveTuning tuning, const Shape& shape, const LogGp& model);

} // namespace orrery::test
