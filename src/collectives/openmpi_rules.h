// What Open MPI 4.1 decides by the number of ranks and the size.
#pragma once

#include "collectives/call.h"

namespace orrery::coll {

struct OpenMpiRule {
    std::uint32_t ranks_below;
    Bytes bytes_below;
    int algorithm; // as numbered by coll_tuned_*_algorithm
};

inline constexpr std::uint32_t any_ranks = ~std::uint32_t{0};
inline constexpr Bytes any_bytes = ~Bytes{0};

// The rules of an operation, in order; none for operations that coll/tuned leaves to coll/basic.
std::span<const OpenMpiRule> openmpi_rules(Collective operation, bool commutative);
// The first that holds; null if there are none.
const OpenMpiRule* openmpi_rule(Collective operation, bool commutative, std::uint32_t ranks, Bytes bytes);
// The algorithm's number; 0 if there are no rules.
int openmpi_decision(Collective operation, bool commutative, std::uint32_t ranks, Bytes bytes);

} // namespace orrery::coll
