// Broadcast and reduction over the trees of the collectives `binomial_swapped` and `heap`, whose shapes they
// share.
//
// The programs are made here and not by the coroutines of the library, which take several times as long and
// cannot charge for the combining of operands; tests prove them equal.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

namespace orrery::patterns_detail {

namespace {

coll::SwappedHeap kary_tree(const Options& o) {
    expect(o.radix >= 1, "--radix is the number of children of a node: at least 1");
    return {o.radix};
}

template <typename Tree> Made bcast(const Options& o, Tree tree) {
    return pattern_of(o.ranks - 1, [=](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t node = swap_root(rank, o.root);
        std::uint32_t recv = no_op;
        if (node != 0) recv = out.add(recv_op(swap_root(tree.parent(node), o.root), o.bytes));
        tree.each_child(node, o.ranks, [&](std::uint32_t child) {
            require_if(out, out.add(send_op(swap_root(child, o.root), o.bytes)), recv);
        });
    });
}

// The send to the parent stands first, as in the original's binomial tree: it waits for all that follows.
template <typename Tree> Made reduce(const Options& o, Tree tree) {
    return pattern_of(o.ranks - 1, [=](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t node = swap_root(rank, o.root);
        std::uint32_t send = no_op;
        if (node != 0) send = out.add(send_op(swap_root(tree.parent(node), o.root), o.bytes));
        tree.each_child(node, o.ranks, [&](std::uint32_t child) {
            const std::uint32_t recv = out.add(recv_op(swap_root(child, o.root), o.bytes));
            const std::uint32_t ready = reduced(out, recv, o.bytes, o.reduce_cost);
            if (send != no_op) out.require(send, ready);
        });
    });
}

} // namespace

Made binomial_bcast(const Options& o) { return bcast(o, coll::SwappedBinomial{}); }

Made binomial_reduce(const Options& o) { return reduce(o, coll::SwappedBinomial{}); }

Made kary_bcast(const Options& o) { return bcast(o, kary_tree(o)); }

Made kary_reduce(const Options& o) { return reduce(o, kary_tree(o)); }

} // namespace orrery::patterns_detail
