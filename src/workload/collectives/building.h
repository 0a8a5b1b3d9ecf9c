// Arithmetic that the collective algorithms share. Internal to this folder.
#pragma once

#include "engine/error.h"
#include "workload/collectives/algorithms.h"

#include <bit>
#include <cstdint>
#include <string>

namespace orrery::collectives {

// Ring arithmetic on member ranks; `distance` is at most `size`.
constexpr std::uint32_t after(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
    return static_cast<std::uint32_t>((std::uint64_t{rank} + distance) % size);
}
constexpr std::uint32_t before(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
    return static_cast<std::uint32_t>((std::uint64_t{rank} + size - distance) % size);
}

// Trees are written for root 0; another root changes places with rank 0, as in LogGOPSim. Its own inverse.
constexpr std::uint32_t swap_root(std::uint32_t rank, std::uint32_t root) {
    if (rank == 0) return root;
    return rank == root ? 0 : rank;
}

// The first and the one-past-last byte of part `i` when `bytes` are cut into `parts` of nearly equal size.
constexpr Bytes cut(Bytes bytes, std::uint32_t parts, std::uint32_t i) {
    return bytes / parts * i + (i < bytes % parts ? i : bytes % parts);
}
constexpr Bytes part(Bytes bytes, std::uint32_t parts, std::uint32_t i) {
    return cut(bytes, parts, i + 1) - cut(bytes, parts, i);
}

// Several blocks in one message. Throws InputError if that is more than a message can be.
inline Bytes times(Bytes bytes, std::uint64_t blocks) {
    if (blocks != 0 && bytes > max_op_size / blocks) {
        throw InputError("a message of a collective operation is too large: " + std::to_string(blocks) +
                         " blocks of " + std::to_string(bytes) + " bytes");
    }
    return bytes * blocks;
}

// Distances double past the number of members: 64 bits.
using Distance = std::uint64_t;

// The binomial tree: in round r each member v < 2^r reaches v + 2^r.
struct BinomialNode {
    std::uint32_t vrank;
    std::uint32_t size;

    [[nodiscard]] bool is_root() const { return vrank == 0; }
    [[nodiscard]] std::uint32_t parent() const { return vrank - std::bit_floor(vrank); }
    template <typename Visit> void children(Visit&& visit) const {
        const Distance first = vrank == 0 ? 1 : Distance{std::bit_floor(vrank)} * 2;
        for (Distance d = first; vrank + d < size; d *= 2) visit(static_cast<std::uint32_t>(vrank + d));
    }
    // How many members hang on this one, itself included: v, v + 2 b, v + 4 b, ... where b is v's highest bit.
    [[nodiscard]] std::uint32_t subtree() const {
        if (vrank == 0) return size;
        return static_cast<std::uint32_t>((size - 1 - vrank) / (Distance{std::bit_floor(vrank)} * 2) + 1);
    }
};

// trees.cpp
void binomial_bcast(Fragment& f, const FragmentCall& c);
void binary_bcast(Fragment& f, const FragmentCall& c);
void linear_bcast(Fragment& f, const FragmentCall& c);
void binomial_reduce(Fragment& f, const FragmentCall& c);
void binary_reduce(Fragment& f, const FragmentCall& c);
void linear_reduce(Fragment& f, const FragmentCall& c);
void binomial_barrier(Fragment& f, const FragmentCall& c);
void linear_barrier(Fragment& f, const FragmentCall& c);
void reduce_bcast_allreduce(Fragment& f, const FragmentCall& c);

// doubling.cpp
void dissemination(Fragment& f, const FragmentCall& c);
void dissemination_barrier(Fragment& f, const FragmentCall& c);
void bruck_allgather(Fragment& f, const FragmentCall& c);
void bruck_alltoall(Fragment& f, const FragmentCall& c);
void recursive_doubling_allreduce(Fragment& f, const FragmentCall& c);
void rabenseifner_allreduce(Fragment& f, const FragmentCall& c);
void binomial_scan(Fragment& f, const FragmentCall& c);

// rings.cpp
void ring_allreduce(Fragment& f, const FragmentCall& c);
void ring_allgather(Fragment& f, const FragmentCall& c);
void scatter_allgather_bcast(Fragment& f, const FragmentCall& c);
void linear_scan(Fragment& f, const FragmentCall& c);

// blocks.cpp
void linear_gather(Fragment& f, const FragmentCall& c);
void binomial_gather(Fragment& f, const FragmentCall& c);
void linear_scatter(Fragment& f, const FragmentCall& c);
void binomial_scatter(Fragment& f, const FragmentCall& c);
void linear_allgather(Fragment& f, const FragmentCall& c);
void linear_alltoall(Fragment& f, const FragmentCall& c);
void pairwise_alltoall(Fragment& f, const FragmentCall& c);
void pairwise_reduce_scatter(Fragment& f, const FragmentCall& c);
void reduce_then_scatter(Fragment& f, const FragmentCall& c);

} // namespace orrery::collectives
