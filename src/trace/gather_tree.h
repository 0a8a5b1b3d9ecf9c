// Who takes files from whom: the K-nomial tree of the gather.
//
// Ranks are written in base K+1. The parent of a rank is the rank with its lowest digit that is not 0 set to 0;
// so the subtree of a rank is the range of ranks from itself on, of a length that is a power of K+1, and a rank
// that passes on its own file and then those of its children in ascending order keeps all of them in order. In
// step j everybody takes from up to K children whose lowest digit is the j-th: ceil(log_{K+1} ranks) steps.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::trace {

// Of a rank other than 0.
constexpr std::uint32_t gather_parent(std::uint32_t rank, std::uint32_t k) {
    std::uint64_t weight = 1;
    while (rank / weight % (k + 1) == 0) {
        weight *= k + 1;
    }
    return rank - static_cast<std::uint32_t>(rank / weight % (k + 1) * weight);
}

inline std::vector<std::uint32_t> gather_children(std::uint32_t rank, std::uint32_t ranks, std::uint32_t k) {
    std::vector<std::uint32_t> children;
    const std::uint64_t base = std::uint64_t{k} + 1;
    for (std::uint64_t weight = 1; rank / weight % base == 0 && rank + weight < ranks; weight *= base) {
        for (std::uint64_t digit = 1; digit <= k && rank + digit * weight < ranks; ++digit) {
            children.push_back(static_cast<std::uint32_t>(rank + digit * weight));
        }
    }
    return children;
}

} // namespace orrery::trace
