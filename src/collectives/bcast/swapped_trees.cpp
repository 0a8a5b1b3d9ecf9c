// Broadcasts down the trees of LogGOPSim's generator.
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/swapped_tree.h"

namespace orrery::coll {

namespace {

template <typename Shape> Steps bcast_down(CollectiveCall call, Shape shape) {
    const Piece all = whole(receive_buffer, call);
    const std::uint32_t v = swap_root(call.rank, call.root);
    if (v != 0) {
        co_yield at_once(irecv(swap_root(shape.parent(v), call.root), all, 0));
        co_yield wait(0);
    }
    for (std::uint32_t i = 0; shape.child(v, i) < call.size; ++i) {
        const auto child = static_cast<std::uint32_t>(shape.child(v, i));
        co_yield after_wait(isend(swap_root(child, call.root), all, i + 1));
    }
    co_yield wait_all();
}

} // namespace

Steps bcast_binomial_swapped(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return bcast_down(call, SwappedBinomial{});
}

Steps bcast_heap(CollectiveCall call, CollectiveTuning tuning) {
    return bcast_down(call, SwappedHeap{tuning.fanout == 0 ? 2 : tuning.fanout});
}

} // namespace orrery::coll
