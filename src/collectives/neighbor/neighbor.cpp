#include "collectives/neighbor/neighbor.h"

#include "collectives/common.h"

namespace orrery::coll {

// Open MPI, coll_basic_neighbor_*.c; MPICH, neighbor_*_allcomm_nb.c: all at once, in the order of the
// neighbours. A rank may be its own neighbour, or be there more than once.
Steps neighbor_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const bool gathers =
        call.operation == Collective::neighbor_allgather || call.operation == Collective::neighbor_allgatherv;
    const bool regular =
        call.operation == Collective::neighbor_allgather || call.operation == Collective::neighbor_alltoall;
    const Blocks in = regular ? Blocks::equal(call.bytes) : Blocks::listed(call.receive_counts);
    const Blocks out = regular ? Blocks::equal(call.bytes) : Blocks::listed(call.send_counts);
    for (std::uint32_t i = 0; i < call.sources.size(); ++i) {
        co_yield irecv(call.sources[i], in.piece(receive_buffer, i), 2 * i);
    }
    for (std::uint32_t i = 0; i < call.destinations.size(); ++i) {
        Piece given = whole(send_buffer, call);
        if (!gathers) given = out.piece(send_buffer, i);
        co_yield isend(call.destinations[i], given, 2 * i + 1);
    }
    co_yield wait_all();
}

} // namespace orrery::coll
