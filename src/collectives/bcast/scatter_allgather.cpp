// Broadcasts of long messages: the root scatters blocks, then all gather them (van de Geijn).
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/phases.h"

namespace orrery::coll {

namespace {

Blocks in_bytes(const CollectiveCall& call) {
    return Blocks::filled(call.bytes, (call.bytes + call.size - 1) / call.size);
}

Blocks in_elements(const CollectiveCall& call) {
    const Bytes element = call.element == 0 || call.bytes % call.element != 0 ? 1 : call.element;
    const Bytes each = (call.bytes / element + call.size - 1) / call.size;
    return Blocks::filled(call.bytes, each * element);
}

bool too_few(const CollectiveCall& call) { return call.bytes / std::max<Bytes>(call.element, 1) < call.size; }

Steps scatter_then(CollectiveCall call, Blocks blocks, Steps (*gather)(Party, Blocks, std::uint8_t)) {
    const Party party = from_the_root(call);
    for (Steps half = scatter_binomial(party, blocks, receive_buffer); const Step* step = half.next();)
        co_yield *step;
    for (Steps half = gather(party, blocks, receive_buffer); const Step* step = half.next();) co_yield *step;
}

} // namespace

// MPICH, bcast_intra_scatter_recursive_doubling_allgather.c
Steps bcast_scatter_doubling_bytes(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.bytes == 0) return nothing();
    return scatter_then(call, in_bytes(call), allgather_doubling);
}

// MPICH, bcast_intra_scatter_ring_allgather.c
Steps bcast_scatter_ring_bytes(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return scatter_then(call, in_bytes(call), allgather_ring);
}

// Open MPI, coll_base_bcast.c, scatter_allgather: in whole elements; linear if there are fewer of them than
// ranks.
Steps bcast_scatter_allgather(CollectiveCall call, CollectiveTuning tuning) {
    if (too_few(call)) return bcast_linear(call, tuning);
    return scatter_then(call, in_elements(call), allgather_doubling);
}

Steps bcast_scatter_allgather_ring(CollectiveCall call, CollectiveTuning tuning) {
    if (too_few(call)) return bcast_linear(call, tuning);
    return scatter_then(call, in_elements(call), allgather_ring);
}

} // namespace orrery::coll
