// Allgather and allgatherv: the same algorithms, with equal blocks or as the counts say.
#pragma once

#include "collectives/blocks.h"
#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

// The blocks of the receive buffer, one per rank.
Blocks gathered_blocks(const CollectiveCall& call);
// This rank's own block, where the caller has it.
Piece own_block(const CollectiveCall& call, const Blocks& blocks);

Steps allgather_linear(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_spread(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_spread_nonblocking(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_pairwise(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_two_proc(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_by_ring(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_ring_posted(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_ring_pipelined(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_allgather_ring_pipelined(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_neighbor_exchange(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_neighbor_or_spread(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_recursive_doubling(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_recursive_halving(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_dissemination(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_bruck(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_mesh_2d(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_mesh_3d(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_gather_bcast(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_gather_bcast_largest(CollectiveCall call, CollectiveTuning tuning);
Steps allgather_gather_bcast_binomial(CollectiveCall call, CollectiveTuning tuning);

bool is_mesh_2d(const CollectiveCall& call);
bool is_mesh_3d(const CollectiveCall& call);

} // namespace orrery::coll
