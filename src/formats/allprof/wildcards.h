// Receives of any tag: which tag they get.
//
// A schedule has no communicators and no collectives: there, a receive of any tag would take messages that the
// traced program could not have given it. So the tag is settled here.
//   - If all messages that can reach the receive have one tag, it is that one.
//   - Otherwise the program is run once, with the computing times of the trace and messages that take no time,
//   and
//     all wildcard receives of that rank and communicator are fixed to the source and the tag that they got in
//     that run. It is one of the orders that MPI allows; for receives that name their source it is the only
//     one.
// Receives from any source with a tag of their own stay as they are.
#pragma once

#include "formats/allprof/communicators.h"
#include "formats/allprof/record.h"

#include <vector>

namespace orrery::allprof {

// After link_ranks. A receive that no message ever reaches keeps any_tag.
void settle_wildcards(std::vector<RankRecords>& ranks, const Communicators& communicators);

} // namespace orrery::allprof
