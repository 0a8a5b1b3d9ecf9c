#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

namespace orrery::coll {

Steps simgrid_two_level_reduce(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_two_level_allreduce(CollectiveCall call, CollectiveTuning tuning);

Steps simgrid_smp_binomial_allreduce(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_smp_doubling_allreduce(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_smp_ring_allreduce(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_smp_halving_allreduce(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_smp_simple_allgather(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_smp_chain_allgather(CollectiveCall call, CollectiveTuning tuning);
Steps simgrid_loose_ring_allgather(CollectiveCall call, CollectiveTuning tuning);

// What SimGrid's ranks say to one another when a communicator is first used by an algorithm that asks for nodes
// (Comm::init_smp): part of the time of the first such call there, and of none here.
Steps simgrid_node_setup(CollectiveCall call);

} // namespace orrery::coll
