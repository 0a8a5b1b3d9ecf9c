// Broadcast and reduction over trees.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

#include <bit>

namespace orrery::patterns_detail {

namespace {

// In the binomial tree a rank below 2^r passes the data on to rank + 2^r in round r, so a rank hears in the
// round of its highest bit and speaks in all rounds after that.
struct BinomialTree {
    std::uint32_t ranks;

    [[nodiscard]] static std::uint32_t parent(std::uint32_t node) { return node - std::bit_floor(node); }
    template <typename Visit> void children(std::uint32_t node, Visit visit) const {
        for (std::uint64_t bit = std::uint64_t{1} << std::bit_width(node); node + bit < ranks; bit <<= 1) {
            visit(static_cast<std::uint32_t>(node + bit));
        }
    }
};

// Nodes of the k-ary tree are numbered level by level.
struct KaryTree {
    std::uint32_t ranks;
    std::uint32_t radix;

    [[nodiscard]] std::uint32_t parent(std::uint32_t node) const { return (node - 1) / radix; }
    template <typename Visit> void children(std::uint32_t node, Visit visit) const {
        const std::uint64_t first = std::uint64_t{node} * radix + 1;
        for (std::uint64_t child = first; child < first + radix && child < ranks; ++child) {
            visit(static_cast<std::uint32_t>(child));
        }
    }
};

KaryTree kary_tree(const Options& o) {
    expect(o.radix >= 1, "--radix is the number of children of a node: at least 1");
    return {o.ranks, o.radix};
}

template <typename Tree> Made bcast(const Options& o, Tree tree) {
    return pattern_of(o.ranks - 1, [=](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t node = swap_root(rank, o.root);
        std::uint32_t recv = no_op;
        if (node != 0) recv = out.add(recv_op(swap_root(tree.parent(node), o.root), o.bytes));
        tree.children(node, [&](std::uint32_t child) {
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
        tree.children(node, [&](std::uint32_t child) {
            const std::uint32_t recv = out.add(recv_op(swap_root(child, o.root), o.bytes));
            const std::uint32_t ready = reduced(out, recv, o.bytes, o.reduce_cost);
            if (send != no_op) out.require(send, ready);
        });
    });
}

} // namespace

Made binomial_bcast(const Options& o) { return bcast(o, BinomialTree{o.ranks}); }

Made binomial_reduce(const Options& o) { return reduce(o, BinomialTree{o.ranks}); }

Made kary_bcast(const Options& o) { return bcast(o, kary_tree(o)); }

Made kary_reduce(const Options& o) { return reduce(o, kary_tree(o)); }

} // namespace orrery::patterns_detail
