// Ties the ranks' records to each other: ranks of the whole program instead of ranks in communicators, the
// sequence of collectives of each communicator, and the sizes of blocks that only another rank's trace tells.
#pragma once

#include "formats/allprof/communicators.h"
#include "formats/allprof/record.h"

#include <cstdint>
#include <vector>

namespace orrery::allprof {

// Calls on communicators of unknown members are marked as dropped and listed as skipped. Each collective gets
// its number on its communicator as its tag. Returns the block sizes that records with record_flag::blocks
// refer to: gatherv, scatterv, allgatherv, reduce_scatter one per member; alltoallv one per member to send,
// then one per member to receive. Throws InputError if the members of a communicator do not make the same
// collective calls. With `allow_truncated`, collectives at the end that some members lack are dropped instead.
std::vector<Bytes> link_ranks(std::vector<RankRecords>& ranks, const Communicators& communicators,
                              bool allow_truncated);

} // namespace orrery::allprof
