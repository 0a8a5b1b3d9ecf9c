// --map-by metis: a mapping from the messages of the traces or the schedule that are to be replayed.
#pragma once

#include "simulation/simulation.h"

#include <functional>
#include <string>
#include <vector>

namespace orrery {

// The host of each rank, the ranks of all jobs counted through; `open` gives the jobs from their beginning, as
// often as it is called.
std::vector<HostId> map_by_messages(const Simulation& simulation, const std::string& hostfile,
                                    const std::function<std::vector<Simulation::Job>()>& open);
std::vector<HostId> map_by_messages(const Simulation& simulation, const std::string& hostfile,
                                    const Schedule& schedule);

} // namespace orrery
