// Random schedules for the property tests: everything that the model allows, small numbers so that ties,
// waiting and matching choices are frequent. The same seed gives the same case everywhere.
#pragma once

#include "network/loggops/parameters.h"
#include "workload/graph.h"

#include <cstdint>
#include <vector>

namespace orrery::reference {

struct RandomCase {
    std::vector<RankGraph> ranks;
    LogGOPS parameters;
};

RandomCase random_case(std::uint64_t seed);
// Parameters as such a case has them.
LogGOPS random_parameters(std::uint64_t seed);

} // namespace orrery::reference
