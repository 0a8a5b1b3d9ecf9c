// A mapping from the graph of messages: ranks that talk much come onto hosts that are near.
//
// Dual recursive bisection: the cores are cut into two halves that are near each other within (a torus across
// its longest dimension, other machines in the order of their hosts), the ranks into two parts of these sizes
// with as few bytes between them as METIS finds, and so on with each half, down to the hosts.
#pragma once

#include "machine/mapping.h"
#include "tools/mapping/pattern.h"

#include <vector>

namespace orrery {

// The host of each rank: as many on each of `hosts` as it has slots, beginning again if there are more ranks.
// The same input gives the same mapping.
std::vector<HostId> map_metis(const Platform& platform, const std::vector<HostSlots>& hosts,
                              const CommunicationPattern& pattern);

} // namespace orrery
