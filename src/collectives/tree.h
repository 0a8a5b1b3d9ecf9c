// Trees over the ranks of a communicator, each rank knowing its parent and its children only.
//
// The shapes are those of Open MPI (coll_base_topo.c); MPICH and SimGrid use the same ones under other names.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace orrery::coll {

struct Tree {
    static constexpr std::uint32_t most_children = 64; // a larger fanout or radix is cut down to this

    bool has_parent = false;
    std::uint32_t parent = 0;
    std::uint32_t count = 0; // of children
    std::array<std::uint32_t, most_children> child{};

    [[nodiscard]] std::span<const std::uint32_t> children() const { return {child.data(), count}; }
    [[nodiscard]] bool leaf() const { return count == 0; }
};

// Rank 0 of the tree is `root`; the ranks of a level follow those of the level before, so that the descendants
// of child i of the root are those whose number is i + 1 modulo the fanout.
Tree k_ary_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root, std::uint32_t fanout);
// Binomial, subtrees of growing size: the child at distance 2^i gets the i-th message.
Tree binomial_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root);
// Binomial with subtrees of consecutive ranks, small ones first.
Tree in_order_binomial_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root);
// Binary; a reduction along it combines the ranks in their order. Its root is the last rank.
Tree in_order_binary_tree(std::uint32_t rank, std::uint32_t size);
// k-nomial: subtrees of consecutive ranks, large ones first. With radix 2, MPICH's binomial tree.
Tree k_nomial_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root, std::uint32_t radix);
// `fanout` chains that hang on the root.
Tree chain_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root, std::uint32_t fanout);

} // namespace orrery::coll
