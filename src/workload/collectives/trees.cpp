// Broadcast and reduction along trees, and what is made of the two: barriers and an allreduce.
#include "workload/collectives/building.h"

namespace orrery::collectives {

namespace {

// Member v has the children 2v+1 and 2v+2.
struct BinaryNode {
    std::uint32_t vrank;
    std::uint32_t size;

    [[nodiscard]] bool is_root() const { return vrank == 0; }
    [[nodiscard]] std::uint32_t parent() const { return (vrank - 1) / 2; }
    template <typename Visit> void children(Visit&& visit) const {
        for (Distance child = Distance{vrank} * 2 + 1; child <= Distance{vrank} * 2 + 2 && child < size;
             ++child) {
            visit(static_cast<std::uint32_t>(child));
        }
    }
};

// A tree of depth one.
struct StarNode {
    std::uint32_t vrank;
    std::uint32_t size;

    [[nodiscard]] bool is_root() const { return vrank == 0; }
    [[nodiscard]] static std::uint32_t parent() { return 0; }
    template <typename Visit> void children(Visit&& visit) const {
        if (vrank != 0) return;
        for (std::uint32_t child = 1; child < size; ++child) visit(child);
    }
};

// The root's sends wait for `ready`, if there is such an operation.
template <typename Node>
void bcast(Fragment& f, std::uint32_t root, Bytes bytes, std::uint32_t ready = no_operation) {
    const Node node{swap_root(f.rank(), root), f.size()};
    if (!node.is_root()) ready = f.recv(swap_root(node.parent(), root), bytes);
    node.children([&](std::uint32_t child) { f.require(f.send(swap_root(child, root), bytes), ready); });
}

// The send to the parent stands before the receives that it waits for, as in LogGOPSim.
template <typename Node> void reduce(Fragment& f, std::uint32_t root, Bytes bytes) {
    const Node node{swap_root(f.rank(), root), f.size()};
    const std::uint32_t send = node.is_root() ? no_operation : f.send(swap_root(node.parent(), root), bytes);
    node.children([&](std::uint32_t child) {
        const std::uint32_t recv = f.recv(swap_root(child, root), bytes);
        if (send != no_operation) f.require(send, recv);
    });
}

// To rank 0 and back.
template <typename Node> void reduce_then_bcast(Fragment& f, Bytes bytes) {
    if (f.size() == 1) return;
    if (f.rank() != 0) {
        reduce<Node>(f, 0, bytes);
        bcast<Node>(f, 0, bytes);
        return;
    }
    const std::uint32_t reduced = f.join();
    Node{0, f.size()}.children([&](std::uint32_t child) { f.require(reduced, f.recv(child, bytes)); });
    bcast<Node>(f, 0, bytes, reduced);
}

constexpr Bytes signal = 1; // a barrier's messages carry one byte, as in LogGOPSim

} // namespace

void binomial_bcast(Fragment& f, const FragmentCall& c) { bcast<BinomialNode>(f, c.root, c.bytes); }
void binary_bcast(Fragment& f, const FragmentCall& c) { bcast<BinaryNode>(f, c.root, c.bytes); }
void linear_bcast(Fragment& f, const FragmentCall& c) { bcast<StarNode>(f, c.root, c.bytes); }

void binomial_reduce(Fragment& f, const FragmentCall& c) { reduce<BinomialNode>(f, c.root, c.bytes); }
void binary_reduce(Fragment& f, const FragmentCall& c) { reduce<BinaryNode>(f, c.root, c.bytes); }
void linear_reduce(Fragment& f, const FragmentCall& c) { reduce<StarNode>(f, c.root, c.bytes); }

void binomial_barrier(Fragment& f, const FragmentCall&) { reduce_then_bcast<BinomialNode>(f, signal); }
void linear_barrier(Fragment& f, const FragmentCall&) { reduce_then_bcast<StarNode>(f, signal); }
void reduce_bcast_allreduce(Fragment& f, const FragmentCall& c) { reduce_then_bcast<BinomialNode>(f, c.bytes); }

} // namespace orrery::collectives
