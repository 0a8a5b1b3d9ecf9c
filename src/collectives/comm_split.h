// What MPI_Comm_split sends: everybody has to learn who has named the same colour.
#pragma once

#include "collectives/selection.h"
#include "collectives/step.h"

namespace orrery {

// `call` is the exchange as an allgather of colours and keys, which is how Open MPI and MPICH do it: then no
// steps, and an algorithm is chosen as for any allgather. SimGrid does it over rank 0 instead, whatever its
// selector.
Steps split_steps(Selector selector, const CollectiveCall& call);

} // namespace orrery
