// Alltoall, alltoallv and alltoallw: the same algorithms, with equal blocks or as the counts say.
#pragma once

#include "collectives/blocks.h"
#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

// What goes to and comes from each rank.
struct Exchange {
    Blocks out;
    Blocks in;
    std::uint8_t buffer = send_buffer; // where the outgoing blocks lie

    [[nodiscard]] Piece outgoing(std::uint32_t peer) const { return out.piece(buffer, peer); }
    [[nodiscard]] Piece incoming(std::uint32_t peer) const { return in.piece(receive_buffer, peer); }
};
// If the call is in place, the algorithm must begin with `set_aside`: what is sent is copied before it is
// overwritten.
Exchange exchange_of(const CollectiveCall& call);
Step set_aside(const Exchange& exchange, const CollectiveCall& call);

Steps alltoall_linear(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_linear_in_order(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_linear_upwards(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_linear_sync(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_two_proc(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_scattered(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_alltoall_scattered(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_scattered_others(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_pairwise(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_pairwise_exchange(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_pairwise_light_barrier(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_pairwise_barriers(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_pairwise_one_barrier(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_exchange_light_barrier(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_exchange_barriers(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_exchange_one_barrier(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_bruck(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_recursive_doubling(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_mesh_2d(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_mesh_3d(CollectiveCall call, CollectiveTuning tuning);
Steps alltoall_swap_in_place(CollectiveCall call, CollectiveTuning tuning);

} // namespace orrery::coll
