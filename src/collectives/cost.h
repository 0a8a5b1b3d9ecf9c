// What an algorithm costs under LogGP, in closed form, where the literature has one.
//
// Sources: Thakur, Rabenseifner, Gropp 2005 (binomial, recursive doubling and halving, Bruck, ring, pairwise,
// Rabenseifner); Pjesivac-Grbovic et al. 2007 (linear, chain and binary trees in segments); Chan et al. 2007
// (scatter-allgather). They hold on LogGP with messages that are never held up by the receiver: a message of n
// bytes takes o on the sender, L + nG on the way and o on the receiver, and the next leaves the sender after
// max(o, g, nG).
#pragma once

#include "collectives/algorithms.h"

#include <optional>

namespace orrery {

struct LogGp {
    double L = 0;     // latency, in any unit of time
    double o = 0;     // overhead at each end
    double g = 0;     // gap between messages
    double G = 0;     // per byte sent
    double gamma = 0; // per byte reduced
};

enum class Exactness : std::uint8_t {
    every_size,   // the formula is exact for every number of ranks
    powers_of_two // exact for powers of two, an estimate otherwise
};

struct CostFormula {
    double time = 0;
    Exactness exact = Exactness::powers_of_two;
};

// Nothing if there is no formula for this algorithm, or none for this call (segments that do not come out even,
// ...).
std::optional<CostFormula> cost_formula(const Algorithm& algorithm, const CollectiveCall& call,
                                        CollectiveTuning tuning, const LogGp& model);

} // namespace orrery
