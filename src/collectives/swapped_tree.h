// Trees of LogGOPSim's generator. They are written for root 0; another root changes places with rank 0.
//
// A rank passes on what it has as soon as it is there: its messages wait for one another no more than that
// (Step::Begin).
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

#include <bit>
#include <cstdint>

namespace orrery::coll {

// In round r each rank below 2^r passes the data on to rank + 2^r.
struct SwappedBinomial {
    [[nodiscard]] static std::uint32_t parent(std::uint32_t v) { return v - std::bit_floor(v); }
    // The i-th child; beyond the last rank if there is none.
    [[nodiscard]] static std::uint64_t child(std::uint32_t v, std::uint32_t i) {
        return v + (std::uint64_t{1} << (static_cast<std::uint32_t>(std::bit_width(v)) + i));
    }
};

// Rank v passes the data on to the ranks k v + 1 to k v + k.
struct SwappedHeap {
    std::uint32_t k;

    [[nodiscard]] std::uint32_t parent(std::uint32_t v) const { return (v - 1) / k; }
    [[nodiscard]] std::uint64_t child(std::uint32_t v, std::uint32_t i) const {
        return i < k ? std::uint64_t{v} * k + 1 + i : ~std::uint64_t{0};
    }
};

} // namespace orrery::coll
