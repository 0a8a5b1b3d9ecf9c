// Collectives that move a block of its own for each member: gather, scatter, all-to-all, reduce-scatter.
//
// Where the blocks have sizes of their own (the v-variants), an empty one is not sent.
#include "workload/collectives/building.h"

namespace orrery::collectives {

namespace {

// One exchange after the other: a step begins when both messages of the step before are through.
template <typename OutBytes, typename InBytes>
void pairwise(Fragment& f, bool skip_empty, OutBytes&& out_bytes, InBytes&& in_bytes) {
    std::uint32_t last_send = no_operation;
    std::uint32_t last_recv = no_operation;
    for (std::uint32_t step = 1; step < f.size(); ++step) {
        const std::uint32_t to = after(f.rank(), step, f.size());
        const std::uint32_t from = before(f.rank(), step, f.size());
        const Bytes out = out_bytes(to);
        const Bytes in = in_bytes(from);
        const std::uint32_t send = out == 0 && skip_empty ? no_operation : f.send(to, out);
        const std::uint32_t recv = in == 0 && skip_empty ? no_operation : f.recv(from, in);
        for (const std::uint32_t op : {send, recv}) {
            if (op == no_operation) continue;
            f.require(op, last_send);
            f.require(op, last_recv);
        }
        if (send == no_operation && recv == no_operation) continue;
        last_send = send;
        last_recv = recv;
    }
}

} // namespace

void linear_gather(Fragment& f, const FragmentCall& c) {
    const bool skip_empty = !c.blocks.empty();
    if (f.rank() != c.root) {
        if (c.block(f.rank()) != 0 || !skip_empty) f.send(c.root, c.block(f.rank()));
        return;
    }
    for (std::uint32_t i = 1; i < f.size(); ++i) {
        const std::uint32_t member = swap_root(i, c.root);
        if (c.block(member) != 0 || !skip_empty) f.recv(member, c.block(member));
    }
}

void linear_scatter(Fragment& f, const FragmentCall& c) {
    const bool skip_empty = !c.blocks.empty();
    if (f.rank() != c.root) {
        if (c.block(f.rank()) != 0 || !skip_empty) f.recv(c.root, c.block(f.rank()));
        return;
    }
    for (std::uint32_t i = 1; i < f.size(); ++i) {
        const std::uint32_t member = swap_root(i, c.root);
        if (c.block(member) != 0 || !skip_empty) f.send(member, c.block(member));
    }
}

void binomial_gather(Fragment& f, const FragmentCall& c) {
    const BinomialNode node{swap_root(f.rank(), c.root), f.size()};
    const std::uint32_t send = node.is_root()
                                   ? no_operation
                                   : f.send(swap_root(node.parent(), c.root), times(c.bytes, node.subtree()));
    node.children([&](std::uint32_t child) {
        const Bytes bytes = times(c.bytes, BinomialNode{child, f.size()}.subtree());
        const std::uint32_t recv = f.recv(swap_root(child, c.root), bytes);
        if (send != no_operation) f.require(send, recv);
    });
}

void binomial_scatter(Fragment& f, const FragmentCall& c) {
    const BinomialNode node{swap_root(f.rank(), c.root), f.size()};
    const std::uint32_t recv = node.is_root()
                                   ? no_operation
                                   : f.recv(swap_root(node.parent(), c.root), times(c.bytes, node.subtree()));
    node.children([&](std::uint32_t child) {
        const Bytes bytes = times(c.bytes, BinomialNode{child, f.size()}.subtree());
        f.require(f.send(swap_root(child, c.root), bytes), recv);
    });
}

void linear_allgather(Fragment& f, const FragmentCall& c) {
    const bool skip_empty = !c.blocks.empty();
    for (std::uint32_t step = 1; step < f.size(); ++step) {
        const std::uint32_t from = before(f.rank(), step, f.size());
        if (c.block(f.rank()) != 0 || !skip_empty) f.send(after(f.rank(), step, f.size()), c.block(f.rank()));
        if (c.block(from) != 0 || !skip_empty) f.recv(from, c.block(from));
    }
}

void linear_alltoall(Fragment& f, const FragmentCall& c) {
    const bool skip_empty = !c.blocks.empty();
    for (std::uint32_t step = 1; step < f.size(); ++step) {
        const std::uint32_t to = after(f.rank(), step, f.size());
        const std::uint32_t from = before(f.rank(), step, f.size());
        if (c.block(to) != 0 || !skip_empty) f.send(to, c.block(to));
        if (c.in_block(from) != 0 || !skip_empty) f.recv(from, c.in_block(from));
    }
}

void pairwise_alltoall(Fragment& f, const FragmentCall& c) {
    pairwise(
        f, !c.blocks.empty(), [&](std::uint32_t to) { return c.block(to); },
        [&](std::uint32_t from) { return c.in_block(from); });
}

// Each member gets its block from each of the others, and combines.
void pairwise_reduce_scatter(Fragment& f, const FragmentCall& c) {
    pairwise(
        f, !c.blocks.empty(), [&](std::uint32_t to) { return c.block(to); },
        [&](std::uint32_t) { return c.block(f.rank()); });
}

// Binomial reduce of the whole vector to rank 0, then linear scatter of the blocks.
void reduce_then_scatter(Fragment& f, const FragmentCall& c) {
    if (f.size() == 1) return;
    FragmentCall whole = c;
    whole.root = 0;
    whole.bytes = 0;
    for (std::uint32_t i = 0; i < f.size(); ++i) whole.bytes += c.block(i);
    times(whole.bytes, 1);
    FragmentCall blocks = c;
    blocks.root = 0;
    if (f.rank() != 0) {
        binomial_reduce(f, whole);
        linear_scatter(f, blocks);
        return;
    }
    const std::uint32_t reduced = f.join();
    BinomialNode{0, f.size()}.children(
        [&](std::uint32_t child) { f.require(reduced, f.recv(child, whole.bytes)); });
    for (std::uint32_t member = 1; member < f.size(); ++member) {
        if (c.block(member) == 0 && !c.blocks.empty()) continue;
        f.require(f.send(member, c.block(member)), reduced);
    }
}

} // namespace orrery::collectives
