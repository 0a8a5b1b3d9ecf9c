// How the members of an inter-communicator carry out a collective.
//
// Algorithms are steps (collectives/step.h) among the members of both groups, which are counted through: the
// first rank of a group speaks for it where the whole of it is meant. The `call` is about all members, and its
// root is counted among them; `local` and `remote` say where the two groups are.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"
#include "mpi_library/comm.h"

namespace orrery::emulate::mpi {

// Of a rooted collective, on those who are in the root's group but are not the root.
Steps inter_nothing(CollectiveCall call, Side local, Side remote);
Steps inter_barrier(CollectiveCall call, Side local, Side remote);
Steps inter_bcast(CollectiveCall call, Side local, Side remote);
// Gather and gatherv, scatter and scatterv: counts, if there are any, are those of the remote group.
Steps inter_gather(CollectiveCall call, Side local, Side remote);
Steps inter_scatter(CollectiveCall call, Side local, Side remote);
// `call.bytes` is what this rank gives; `receive_counts` what each of the remote group does.
Steps inter_allgather(CollectiveCall call, Side local, Side remote);
// Also alltoallv and alltoallw.
Steps inter_alltoall(CollectiveCall call, Side local, Side remote);
Steps inter_reduce(CollectiveCall call, Side local, Side remote);
Steps inter_allreduce(CollectiveCall call, Side local, Side remote);
// `call.bytes` is all; `receive_counts` what each of the local group gets.
Steps inter_reduce_scatter(CollectiveCall call, Side local, Side remote);

} // namespace orrery::emulate::mpi
