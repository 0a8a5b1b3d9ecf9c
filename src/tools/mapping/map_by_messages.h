// --map-by metis: a mapping from the messages of the traces that are to be replayed.
#pragma once

#include "simulation/scenario.h"

#include <functional>
#include <string>
#include <vector>

namespace orrery {

// The host of each rank, the ranks of all jobs counted through; `open` gives the jobs from their beginning, as
// often as it is called.
std::vector<HostId> map_by_messages(const Scenario& scenario, const std::string& hostfile,
                                    const std::function<std::vector<Scenario::Job>()>& open);

} // namespace orrery
