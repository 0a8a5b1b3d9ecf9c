// SimGrid's pipelines (from STAR-MPI): the root hands everything to rank 0, from where segments of 8 KiB go
// down a fixed chain or binary tree. All receives are posted at the start. What remains behind the last whole
// segment goes the same way once more. SimGrid: bcast-NTSL.cpp, bcast-NTSL-Isend.cpp (the same),
// bcast-NTSB.cpp.
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/two_level.h"

namespace orrery::coll {

namespace {

constexpr Bytes usual_bcast_segment = 8192;

// `blocking`: a segment is sent to one child after the other.
Steps by_zero(CollectiveCall call, Tree tree, Bytes segment, bool blocking) {
    if (call.size == 1) co_return;
    Bytes from = 0;
    while (true) {
        const Piece rest = part(receive_buffer, from, call.bytes - from);
        if (call.root != 0) {
            if (call.rank == call.root) {
                co_yield send(0, rest);
            } else if (call.rank == 0) {
                co_yield recv(call.root, rest);
            }
        }
        if (rest.bytes <= segment) {
            if (tree.has_parent) co_yield recv(tree.parent, rest);
            for (const std::uint32_t child : tree.children()) co_yield send(child, rest);
            co_return;
        }
        const auto count = static_cast<std::uint32_t>(rest.bytes / segment);
        if (tree.has_parent) {
            for (std::uint32_t i = 0; i < count; ++i) {
                co_yield irecv(tree.parent, part(receive_buffer, from + i * segment, segment), i);
            }
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            if (tree.has_parent) co_yield wait(i);
            const Piece piece = part(receive_buffer, from + i * segment, segment);
            for (std::uint32_t child = 0; child < tree.count; ++child) {
                if (blocking) {
                    co_yield send(tree.child[child], piece);
                } else {
                    co_yield isend(tree.child[child], piece, count * (child + 1) + i);
                }
            }
        }
        co_yield wait_all();
        from += count * segment;
        if (from == call.bytes) co_return;
    }
}

Bytes segment_of(const CollectiveCall& call, const CollectiveTuning& tuning) {
    const Bytes element = std::max<Bytes>(call.element, 1);
    return std::max<Bytes>((tuning.segment == 0 ? usual_bcast_segment : tuning.segment) / element, 1) * element;
}

} // namespace

Steps bcast_pipeline_by_zero(CollectiveCall call, CollectiveTuning tuning) {
    return by_zero(call, chain_tree(call.rank, call.size, 0, 1), segment_of(call, tuning), false);
}

namespace {

// That of a heap: the children of r are 2r + 1 and 2r + 2.
Tree heap(std::uint32_t rank, std::uint32_t size) {
    Tree tree;
    tree.has_parent = rank != 0;
    tree.parent = rank == 0 ? 0 : (rank - 1) / 2;
    for (std::uint64_t child = 2 * std::uint64_t{rank} + 1; child <= 2 * std::uint64_t{rank} + 2; ++child) {
        if (child < size) tree.child[tree.count++] = static_cast<std::uint32_t>(child);
    }
    return tree;
}

// A tree over the nodes' first ranks, on each of which a tree over the node hangs. SimGrid takes the ranks of a
// node to follow one another.
Tree of_nodes(const CollectiveCall& call, Tree (*shape)(std::uint32_t rank, std::uint32_t size)) {
    const std::uint32_t cores = ranks_per_node(call);
    const std::uint32_t base = call.rank / cores * cores;
    Tree inner = shape(call.rank - base, std::min(cores, call.size - base));
    inner.parent += base;
    for (std::uint32_t i = 0; i < inner.count; ++i) inner.child[i] += base;
    if (call.rank != base) return inner;
    Tree outer = shape(call.rank / cores, (call.size + cores - 1) / cores);
    outer.parent *= cores;
    for (std::uint32_t i = 0; i < outer.count; ++i) outer.child[i] *= cores;
    for (std::uint32_t i = 0; i < inner.count; ++i) outer.child[outer.count++] = inner.child[i];
    return outer;
}

Tree chain(std::uint32_t rank, std::uint32_t size) { return chain_tree(rank, size, 0, 1); }

} // namespace

Steps bcast_binary_by_zero(CollectiveCall call, CollectiveTuning tuning) {
    return by_zero(call, heap(call.rank, call.size), segment_of(call, tuning), false);
}

// SimGrid, bcast-SMP-linear.cpp: a chain of nodes with a chain on each; all on one node: binomial.
Steps bcast_node_chains_by_zero(CollectiveCall call, CollectiveTuning tuning) {
    if (call.size <= ranks_per_node(call)) return bcast_binomial_blocking(call, tuning);
    return by_zero(call, of_nodes(call, chain), segment_of(call, tuning), true);
}

// SimGrid, bcast-SMP-binary.cpp: a heap of nodes with a heap on each.
Steps bcast_node_heaps_by_zero(CollectiveCall call, CollectiveTuning tuning) {
    return by_zero(call, of_nodes(call, heap), segment_of(call, tuning), true);
}

} // namespace orrery::coll
