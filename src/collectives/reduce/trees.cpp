// Reductions up a tree, whole or in segments.
#include "collectives/common.h"
#include "collectives/reduce/reduce.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t tree_rooms[2] = {first_temporary,
                                        first_temporary + 1}; // one fills while the other is reduced
constexpr std::uint8_t tree_sum = first_temporary + 2;

// Open MPI, coll_base_reduce.c, reduce_generic: while the segment of one child is reduced, that of the next
// comes in. Children hold the operands before those of their parent, the last child the first ones. A leaf has
// no more than `outstanding` sends under way, if that is not 0. The root of the tree may give the result a
// place of its own.
Steps reduce_along(Tree tree, CollectiveCall call, Bytes segment, std::uint8_t own, std::uint8_t result,
                   std::uint32_t outstanding) {
    const std::uint64_t count = segments(call.bytes, segment);
    const auto piece = [&](std::uint8_t buffer, std::uint64_t i) {
        return segment_piece(buffer, i, segment, call.bytes);
    };
    if (tree.leaf()) {
        if (!tree.has_parent) { // alone
            if (own != result) co_yield copy(whole(own, call), whole(result, call));
            co_return;
        }
        const bool all = outstanding == 0 || count <= outstanding;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (all) {
                co_yield send(tree.parent, piece(own, i));
                continue;
            }
            const auto request = static_cast<std::uint32_t>(i % outstanding);
            if (i >= outstanding) co_yield wait(request);
            co_yield isend(tree.parent, piece(own, i), request);
        }
        if (!all) co_yield wait_all();
        co_return;
    }
    const std::uint8_t total = tree.has_parent ? tree_sum : result;
    if (own != total) co_yield copy(whole(own, call), whole(total, call));
    const auto in_room = [&](std::uint32_t which, std::uint64_t i) {
        return part(tree_rooms[which], 0, piece(0, i).bytes);
    };
    std::uint32_t filling = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        for (std::uint32_t child = 0; child < tree.count; ++child) {
            co_yield irecv(tree.child[child], in_room(filling, i), filling);
            if (child > 0) {
                co_yield wait(1 - filling);
                co_yield reduce(in_room(1 - filling, i), piece(total, i));
            } else if (i > 0) {
                co_yield wait(1 - filling);
                co_yield reduce(in_room(1 - filling, i - 1), piece(total, i - 1));
                if (tree.has_parent) co_yield send(tree.parent, piece(total, i - 1));
            }
            filling = 1 - filling;
        }
    }
    co_yield wait(1 - filling);
    co_yield reduce(in_room(1 - filling, count - 1), piece(total, count - 1));
    if (tree.has_parent) co_yield send(tree.parent, piece(total, count - 1));
}

// For operations that commute; others take the binary tree that keeps the order.
Steps reduce_along_tree(const Tree& tree, const CollectiveCall& call, const CollectiveTuning& tuning) {
    if (!call.commutative) return reduce_in_order_binary(call, tuning);
    const std::uint8_t own = input_of(call);
    return reduce_along(tree, call, segment_bytes(tuning.segment, call.element, call.bytes), own,
                        receive_buffer, 0);
}

} // namespace

Steps reduce_chain(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_along_tree(
        chain_tree(call.rank, call.size, call.root, tuning.fanout == 0 ? 4 : tuning.fanout), call, tuning);
}

Steps reduce_pipeline(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_along_tree(chain_tree(call.rank, call.size, call.root, 1), call, tuning);
}

Steps reduce_binary(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_along_tree(k_ary_tree(call.rank, call.size, call.root, 2), call, tuning);
}

Steps reduce_k_ary(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_along_tree(
        k_ary_tree(call.rank, call.size, call.root, tuning.fanout == 0 ? 4 : tuning.fanout), call, tuning);
}

Steps reduce_binomial(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_along_tree(in_order_binomial_tree(call.rank, call.size, call.root), call, tuning);
}

// Open MPI, coll_base_reduce.c, in_order_binary: to the last rank, which passes it on to the root.
Steps reduce_in_order_binary(CollectiveCall call, CollectiveTuning tuning) {
    const Tree tree = in_order_binary_tree(call.rank, call.size);
    const std::uint32_t last = call.size - 1;
    constexpr std::uint8_t passed_on = first_temporary + 3;
    const std::uint8_t own = input_of(call);
    const std::uint8_t result = call.root == last ? receive_buffer : passed_on;
    const Bytes segment = segment_bytes(tuning.segment, call.element, call.bytes);
    for (Steps up = reduce_along(tree, call, segment, own, result, 0); const Step* step = up.next();)
        co_yield *step;
    if (call.root == last) co_return;
    if (call.rank == call.root) co_yield recv(last, whole(receive_buffer, call));
    if (call.rank == last) co_yield send(call.root, whole(passed_on, call));
}

// MPICH, reduce_intra_binomial.c: if the operation does not commute, the tree hangs on rank 0, which passes on.
Steps reduce_binomial_blocking(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.bytes == 0) co_return;
    const std::uint32_t top = call.commutative ? call.root : 0;
    const Tree tree = in_order_binomial_tree(call.rank, call.size, top);
    const std::uint8_t own = input_of(call);
    const std::uint8_t total = call.rank == call.root ? receive_buffer : tree_sum;
    if (own != total) co_yield copy(whole(own, call), whole(total, call));
    for (const std::uint32_t child : tree.children()) {
        co_yield recv(child, whole(tree_rooms[0], call));
        co_yield reduce_after(whole(tree_rooms[0], call), whole(total, call));
    }
    if (tree.has_parent) co_yield send(tree.parent, whole(total, call));
    if (top == call.root) co_return;
    if (call.rank == top) co_yield send(call.root, whole(total, call));
    if (call.rank == call.root) co_yield recv(top, whole(receive_buffer, call));
}

// MVAPICH2 (SimGrid, reduce-mvapich-knomial.cpp): all children of a k-nomial tree at once, small subtrees
// first.
Steps reduce_knomial(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = reduce_in_order_binary(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    if (call.bytes == 0) co_return;
    const Tree tree = k_nomial_tree(call.rank, call.size, call.root, tuning.fanout == 0 ? 4 : tuning.fanout);
    const std::uint8_t own = input_of(call);
    const std::uint8_t total = call.rank == call.root ? receive_buffer : tree.leaf() ? own : tree_sum;
    if (own != total) co_yield copy(whole(own, call), whole(total, call));
    const Blocks rooms = Blocks::equal(call.bytes);
    for (std::uint32_t i = tree.count; i-- > 0;)
        co_yield irecv(tree.child[i], rooms.piece(tree_rooms[0], i), i);
    for (std::uint32_t i = tree.count; i-- > 0;) {
        co_yield wait(i);
        co_yield reduce(rooms.piece(tree_rooms[0], i), whole(total, call));
    }
    if (!tree.has_parent) co_return;
    co_yield isend(tree.parent, whole(total, call), 0);
    co_yield wait(0);
}

} // namespace orrery::coll
