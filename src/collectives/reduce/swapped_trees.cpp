// Reductions up the trees of LogGOPSim's generator.
#include "collectives/common.h"
#include "collectives/reduce/reduce.h"
#include "collectives/swapped_tree.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t swapped_rooms = first_temporary; // one for each child
constexpr std::uint8_t swapped_sum = first_temporary + 1;

// All receives at once; what they bring is combined when all of it is there.
template <typename Shape> Steps reduce_up(CollectiveCall call, CollectiveTuning tuning, Shape shape) {
    if (!call.commutative) {
        for (Steps all = reduce_in_order_binary(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const std::uint32_t v = swap_root(call.rank, call.root);
    const Blocks rooms = Blocks::equal(call.bytes);
    std::uint32_t children = 0;
    for (; shape.child(v, children) < call.size; ++children) {
        const auto child = static_cast<std::uint32_t>(shape.child(v, children));
        co_yield at_once(irecv(swap_root(child, call.root), rooms.piece(swapped_rooms, children), children));
    }
    co_yield wait_all();
    const Piece own = whole(input_of(call), call);
    Piece total = whole(v == 0 ? receive_buffer : swapped_sum, call);
    if (v != 0 && children == 0) {
        total = own;
    } else if (own.buffer != total.buffer) {
        co_yield copy(own, total);
    }
    for (std::uint32_t i = 0; i < children; ++i) co_yield reduce(rooms.piece(swapped_rooms, i), total);
    if (v == 0) co_return;
    co_yield after_wait(isend(swap_root(shape.parent(v), call.root), total, 0));
    co_yield wait(0);
}

} // namespace

Steps reduce_binomial_swapped(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_up(call, tuning, SwappedBinomial{});
}

Steps reduce_heap(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_up(call, tuning, SwappedHeap{tuning.fanout == 0 ? 2 : tuning.fanout});
}

} // namespace orrery::coll
