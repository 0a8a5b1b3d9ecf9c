// From (communicator, tag) and (communicator, number of the collective) to the one tag of a schedule.
//
// As LogGOPSim does it if that is without ambiguity: communicator * 2^24 + tag, collective n as tag 1,000,000 +
// n. With more than 255 communicators or with large tags: numbered in ascending order, collectives behind.
#pragma once

#include "formats/allprof/record.h"

#include <cstdint>
#include <vector>

namespace orrery::allprof {

// After settle_wildcards. Rewrites the tag of each send, receive and collective.
void assign_tags(std::vector<RankRecords>& ranks, std::uint32_t communicators);

} // namespace orrery::allprof
