// Broadcasts down a tree, whole or in segments.
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"

namespace orrery::coll {

// Open MPI, coll_base_bcast.c, bcast_intra_generic: a segment goes to all children while the next one is coming
// in.
Steps bcast_along(Tree tree, Bytes all, Bytes segment) {
    const std::uint64_t count = segments(all, segment);
    const auto piece = [&](std::uint64_t i) { return segment_piece(receive_buffer, i, segment, all); };
    constexpr std::uint32_t first_send = 2; // requests 0 and 1 are the receives
    if (tree.has_parent) co_yield irecv(tree.parent, piece(0), 0);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (tree.has_parent) {
            if (i + 1 < count)
                co_yield irecv(tree.parent, piece(i + 1), static_cast<std::uint32_t>((i + 1) % 2));
            co_yield wait(static_cast<std::uint32_t>(i % 2));
        }
        for (std::uint32_t child = 0; child < tree.count; ++child) {
            co_yield isend(tree.child[child], piece(i), first_send + child);
        }
        for (std::uint32_t child = 0; child < tree.count; ++child) co_yield wait(first_send + child);
    }
}

namespace {

Steps bcast_along_tree(const Tree& tree, const CollectiveCall& call, const CollectiveTuning& tuning) {
    return bcast_along(tree, call.bytes, segment_bytes(tuning.segment, call.element, call.bytes));
}

} // namespace

Steps bcast_chain(CollectiveCall call, CollectiveTuning tuning) {
    return bcast_along_tree(chain_tree(call.rank, call.size, call.root, tuning.fanout == 0 ? 4 : tuning.fanout),
                            call, tuning);
}

Steps bcast_pipeline(CollectiveCall call, CollectiveTuning tuning) {
    return bcast_along_tree(chain_tree(call.rank, call.size, call.root, 1), call, tuning);
}

Steps bcast_binary(CollectiveCall call, CollectiveTuning tuning) {
    return bcast_along_tree(k_ary_tree(call.rank, call.size, call.root, 2), call, tuning);
}

Steps bcast_k_ary(CollectiveCall call, CollectiveTuning tuning) {
    return bcast_along_tree(k_ary_tree(call.rank, call.size, call.root, tuning.fanout == 0 ? 4 : tuning.fanout),
                            call, tuning);
}

Steps bcast_binomial(CollectiveCall call, CollectiveTuning tuning) {
    return bcast_along_tree(binomial_tree(call.rank, call.size, call.root), call, tuning);
}

Steps bcast_knomial(CollectiveCall call, CollectiveTuning tuning) {
    return bcast_along_tree(
        k_nomial_tree(call.rank, call.size, call.root, tuning.fanout == 0 ? 4 : tuning.fanout), call, tuning);
}

// MPICH, bcast_intra_binomial.c: one child after the other, the largest subtree first.
Steps bcast_binomial_blocking(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Tree tree = k_nomial_tree(call.rank, call.size, call.root, 2);
    const Piece all = whole(receive_buffer, call);
    if (tree.has_parent) co_yield recv(tree.parent, all);
    for (const std::uint32_t child : tree.children()) co_yield send(child, all);
}

// Open MPI, coll_base_bcast.c, split_bintree: each half of the data goes down one side of a binary tree; then
// every rank swaps its half with one of the other side. If a half holds no segment, a pipeline does it.
Steps bcast_split_binary(CollectiveCall call, CollectiveTuning tuning) {
    const Bytes element = call.element == 0 || call.bytes % call.element != 0 ? 1 : call.element;
    const Bytes elements = call.bytes / element;
    const Bytes half[2] = {(elements + 1) / 2 * element, elements / 2 * element};
    const Bytes asked = tuning.segment == 0 ? 0 : std::max(tuning.segment, element);
    if (half[1] == 0 || asked > half[1] || call.size == 1) {
        for (Steps all = bcast_pipeline(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const auto piece = [&](std::uint32_t side, std::uint64_t i) {
        const Bytes size = asked == 0 ? half[side] : asked / element * element;
        Piece found = segment_piece(receive_buffer, i, size, half[side]);
        found.offset += side == 0 ? 0 : half[0];
        return found;
    };
    const auto count = [&](std::uint32_t side) {
        return asked == 0 ? 1 : segments(half[side], asked / element * element);
    };
    const Tree tree = k_ary_tree(call.rank, call.size, call.root, 2);
    const std::uint32_t relative = from_root(call);
    const std::uint32_t side = relative % 2 == 1 ? 0 : 1; // of the tree that the rank is in
    if (relative == 0) {
        for (std::uint64_t i = 0; i < count(0); ++i) {
            for (std::uint32_t child = 0; child < tree.count; ++child) {
                if (i < count(child)) co_yield send(tree.child[child], piece(child, i));
            }
        }
    } else if (tree.leaf()) {
        for (std::uint64_t i = 0; i < count(side); ++i) co_yield recv(tree.parent, piece(side, i));
    } else {
        co_yield irecv(tree.parent, piece(side, 0), 0);
        for (std::uint64_t i = 0; i < count(side); ++i) {
            const auto next = static_cast<std::uint32_t>((i + 1) % 2);
            if (i + 1 < count(side)) co_yield irecv(tree.parent, piece(side, i + 1), next);
            co_yield wait(1 - next);
            for (const std::uint32_t child : tree.children()) co_yield send(child, piece(side, i));
        }
    }
    const Piece halves[2] = {{receive_buffer, 0, half[0]}, {receive_buffer, half[0], half[1]}};
    if (call.size % 2 == 0) { // the last has no partner but the root, which lacks nothing
        if (relative == 0) {
            co_yield send(actual(call, call.size - 1), halves[1]);
            co_return;
        }
        if (relative == call.size - 1) {
            co_yield recv(call.root, halves[1]);
            co_return;
        }
    }
    if (relative == 0) co_return;
    const std::uint32_t partner = side == 0 ? after(call.rank, 1, call.size) : before(call.rank, 1, call.size);
    co_yield sendrecv(partner, halves[side], partner, halves[1 - side]);
}

} // namespace orrery::coll
