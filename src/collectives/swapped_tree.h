// Trees of LogGOPSim's generator. They are written for root 0; another root changes places with rank 0.
//
// A rank passes on what it has as soon as it is there: its messages wait for one another no more than that
// (Step::Begin).
#pragma once

#include <bit>
#include <cstdint>

namespace orrery::coll {

// From a rank to its place in the tree, and back: its own inverse.
constexpr std::uint32_t swap_root(std::uint32_t rank, std::uint32_t root) {
    if (rank == 0) return root;
    return rank == root ? 0 : rank;
}

// In round r each rank below 2^r passes the data on to rank + 2^r.
struct SwappedBinomial {
    [[nodiscard]] static std::uint32_t parent(std::uint32_t v) { return v - std::bit_floor(v); }
    // The i-th child; beyond the last rank if there is none.
    [[nodiscard]] static std::uint64_t child(std::uint32_t v, std::uint32_t i) {
        return v + (std::uint64_t{1} << (static_cast<std::uint32_t>(std::bit_width(v)) + i));
    }
    // All children among `size` ranks, in order, quicker than one by one.
    template <typename Visit> static void each_child(std::uint32_t v, std::uint32_t size, Visit visit) {
        for (std::uint64_t bit = std::uint64_t{1} << std::bit_width(v); v + bit < size; bit <<= 1)
            visit(static_cast<std::uint32_t>(v + bit));
    }
};

// Rank v passes the data on to the ranks k v + 1 to k v + k.
struct SwappedHeap {
    std::uint32_t k;

    [[nodiscard]] std::uint32_t parent(std::uint32_t v) const { return (v - 1) / k; }
    [[nodiscard]] std::uint64_t child(std::uint32_t v, std::uint32_t i) const {
        return i < k ? std::uint64_t{v} * k + 1 + i : ~std::uint64_t{0};
    }
    template <typename Visit> void each_child(std::uint32_t v, std::uint32_t size, Visit visit) const {
        const std::uint64_t first = std::uint64_t{v} * k + 1;
        for (std::uint64_t child = first; child < first + k && child < size; ++child)
            visit(static_cast<std::uint32_t>(child));
    }
};

} // namespace orrery::coll
