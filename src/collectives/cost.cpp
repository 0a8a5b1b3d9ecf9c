#include "collectives/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace orrery {

namespace {

using enum Exactness;

// The terms that formulas are made of.
struct Terms {
    double p;  // ranks
    double lg; // log2 of it, rounded up
    double n;  // bytes of the call
    LogGp m;

    [[nodiscard]] double message(double bytes) const {
        return m.L + 2 * m.o + bytes * m.G;
    } // from send to received
    [[nodiscard]] double between(double bytes) const { return std::max({m.o, m.g, bytes * m.G}); }
};

using Formula = std::optional<CostFormula> (*)(const Terms& t, const CollectiveCall& call, Bytes segment);

std::optional<CostFormula> rounds_of_n(const Terms& t, const CollectiveCall& /*call*/, Bytes /*segment*/) {
    return CostFormula{t.lg * t.message(t.n), powers_of_two};
}
std::optional<CostFormula> rounds_reduced(const Terms& t, const CollectiveCall& /*call*/, Bytes /*segment*/) {
    return CostFormula{t.lg * (t.message(t.n) + t.n * t.m.gamma), powers_of_two};
}
std::optional<CostFormula> linear_from_root(const Terms& t, const CollectiveCall& /*call*/, Bytes /*segment*/) {
    if (t.p < 2) return CostFormula{0, every_size};
    return CostFormula{(t.p - 2) * t.between(t.n) + t.message(t.n), every_size};
}
std::optional<CostFormula> all_steps(const Terms& t, const CollectiveCall& /*call*/, Bytes /*segment*/) {
    return CostFormula{(t.p - 1) * t.message(t.n), every_size};
}
// log p rounds in which p - 1 blocks are sent in all.
std::optional<CostFormula> doubling_blocks(const Terms& t, const CollectiveCall& /*call*/, Bytes /*segment*/) {
    return CostFormula{t.lg * t.message(0) + (t.p - 1) * t.n * t.m.G, powers_of_two};
}
std::optional<CostFormula> bruck_blocks(const Terms& t, const CollectiveCall& /*call*/, Bytes /*segment*/) {
    return CostFormula{t.lg * t.message(0) + (t.p - 1) * t.n * t.m.G, every_size};
}
// Reduce-scatter and allgather by halving and doubling.
std::optional<CostFormula> halving_twice(const Terms& t, const CollectiveCall& call, Bytes /*segment*/) {
    if (!std::has_single_bit(call.size) || call.bytes % (call.size * std::max<Bytes>(call.element, 1)) != 0) {
        return std::nullopt;
    }
    const double part = t.n * (t.p - 1) / t.p;
    return CostFormula{2 * t.lg * t.message(0) + 2 * part * t.m.G + part * t.m.gamma, powers_of_two};
}
std::optional<CostFormula> halving_once(const Terms& t, const CollectiveCall& call, Bytes /*segment*/) {
    if (!std::has_single_bit(call.size)) return std::nullopt;
    const double part = t.n * (t.p - 1); // a block is n here
    return CostFormula{t.lg * t.message(0) + part * (t.m.G + t.m.gamma), powers_of_two};
}
std::optional<CostFormula> ring_twice(const Terms& t, const CollectiveCall& call, Bytes /*segment*/) {
    if (call.bytes % (call.size * std::max<Bytes>(call.element, 1)) != 0) return std::nullopt;
    const double block = t.n / t.p;
    return CostFormula{(t.p - 1) * (2 * t.message(block) + block * t.m.gamma), every_size};
}
std::optional<CostFormula> scatter_then_doubling(const Terms& t, const CollectiveCall& call,
                                                 Bytes /*segment*/) {
    if (!std::has_single_bit(call.size) || call.bytes % call.size != 0) return std::nullopt;
    const double part = t.n * (t.p - 1) / t.p;
    return CostFormula{2 * t.lg * t.message(0) + 2 * part * t.m.G, powers_of_two};
}
std::optional<CostFormula> scatter_then_ring(const Terms& t, const CollectiveCall& call, Bytes /*segment*/) {
    if (!std::has_single_bit(call.size) || call.bytes % call.size != 0) return std::nullopt;
    const double part = t.n * (t.p - 1) / t.p;
    return CostFormula{(t.lg + t.p - 1) * t.message(0) + 2 * part * t.m.G, powers_of_two};
}
// Segments down one chain; each rank takes two overheads per segment, if the wire is not slower.
std::optional<CostFormula> pipeline(const Terms& t, const CollectiveCall& call, Bytes segment) {
    if (call.size < 2 || call.bytes % segment != 0) return std::nullopt;
    const auto s = static_cast<double>(segment);
    const double count = t.n / s;
    const double step = call.size > 2 ? std::max(t.between(s), 2 * t.m.o) : t.between(s);
    return CostFormula{(t.p - 1) * t.message(s) + (count - 1) * step, every_size};
}
std::optional<CostFormula> bruck_alltoall(const Terms& t, const CollectiveCall& call, Bytes /*segment*/) {
    if (!std::has_single_bit(call.size)) return std::nullopt;
    return CostFormula{t.lg * t.message(t.p / 2 * t.n), powers_of_two};
}
std::optional<CostFormula> pairs_of_blocks(const Terms& t, const CollectiveCall& call, Bytes /*segment*/) {
    if (call.size % 2 != 0) return std::nullopt;
    return CostFormula{t.p / 2 * t.message(0) + (t.p - 1) * t.n * t.m.G, every_size};
}

struct Row {
    Collective operation;
    std::string_view name;
    Formula formula;
};

constexpr Row rows[] = {
    {Collective::barrier, "dissemination",
     [](const Terms& t, const CollectiveCall&, Bytes) -> std::optional<CostFormula> {
         return CostFormula{t.lg * t.message(0), every_size};
     }},
    {Collective::barrier, "recursive_doubling",
     [](const Terms& t, const CollectiveCall& call, Bytes) -> std::optional<CostFormula> {
         const bool folded = !std::has_single_bit(call.size);
         return CostFormula{(folded ? t.lg + 1 : t.lg) * t.message(0), powers_of_two};
     }},
    {Collective::barrier, "double_ring",
     [](const Terms& t, const CollectiveCall& call, Bytes) -> std::optional<CostFormula> {
         return CostFormula{call.size == 1 ? 0 : 2 * t.p * t.message(0), every_size};
     }},
    {Collective::barrier, "tree",
     [](const Terms& t, const CollectiveCall& call, Bytes) -> std::optional<CostFormula> {
         if (!std::has_single_bit(call.size)) return std::nullopt;
         return CostFormula{2 * t.lg * t.message(0), powers_of_two};
     }},
    {Collective::bcast, "linear", linear_from_root},
    {Collective::bcast, "binomial_blocking", rounds_of_n},
    {Collective::bcast, "pipeline", pipeline},
    {Collective::bcast, "scatter_allgather", scatter_then_doubling},
    {Collective::bcast, "scatter_allgather_ring", scatter_then_ring},
    {Collective::bcast, "scatter_doubling_bytes", scatter_then_doubling},
    {Collective::bcast, "scatter_ring_bytes", scatter_then_ring},
    {Collective::gather, "binomial", doubling_blocks},
    {Collective::scatter, "binomial", doubling_blocks},
    {Collective::scatter, "linear", linear_from_root},
    {Collective::scatter, "linear_blocking", linear_from_root},
    {Collective::allgather, "ring", all_steps},
    {Collective::allgather, "spread", all_steps},
    {Collective::allgather, "pairwise", all_steps},
    {Collective::allgather, "recursive_doubling", doubling_blocks},
    {Collective::allgather, "bruck", bruck_blocks},
    {Collective::allgather, "neighbor_exchange", pairs_of_blocks},
    {Collective::alltoall, "pairwise", all_steps},
    {Collective::alltoall, "pairwise_exchange", all_steps},
    {Collective::alltoall, "bruck", bruck_alltoall},
    {Collective::reduce, "binomial_blocking", rounds_reduced},
    {Collective::reduce, "rabenseifner", halving_twice},
    {Collective::reduce, "reduce_scatter_gather", halving_twice},
    {Collective::allreduce, "recursive_doubling",
     [](const Terms& t, const CollectiveCall& call, Bytes) -> std::optional<CostFormula> {
         const double round = t.message(t.n) + t.n * t.m.gamma;
         // Ranks beyond the power of two give their data first and are told last.
         const double rounds = std::floor(std::log2(t.p)) * round;
         const double fold = std::has_single_bit(call.size) ? 0 : round + t.message(t.n);
         return CostFormula{rounds + fold, powers_of_two};
     }},
    {Collective::allreduce, "ring", ring_twice},
    {Collective::allreduce, "rabenseifner", halving_twice},
    {Collective::allreduce, "reduce_scatter_allgather", halving_twice},
    {Collective::reduce_scatter_block, "recursive_halving", halving_once},
    {Collective::reduce_scatter_block, "pairwise",
     [](const Terms& t, const CollectiveCall&, Bytes) -> std::optional<CostFormula> {
         return CostFormula{(t.p - 1) * (t.message(t.n) + t.n * t.m.gamma), every_size};
     }},
    {Collective::reduce_scatter_block, "ring",
     [](const Terms& t, const CollectiveCall&, Bytes) -> std::optional<CostFormula> {
         return CostFormula{(t.p - 1) * (t.message(t.n) + t.n * t.m.gamma), every_size};
     }},
    {Collective::scan, "linear",
     [](const Terms& t, const CollectiveCall&, Bytes) -> std::optional<CostFormula> {
         return CostFormula{(t.p - 1) * (t.message(t.n) + t.n * t.m.gamma), every_size};
     }},
    {Collective::exscan, "linear",
     [](const Terms& t, const CollectiveCall&, Bytes) -> std::optional<CostFormula> {
         return CostFormula{(t.p - 1) * (t.message(t.n) + t.n * t.m.gamma), every_size};
     }},
};

} // namespace

std::optional<CostFormula> cost_formula(const Algorithm& algorithm, const CollectiveCall& call,
                                        CollectiveTuning tuning, const LogGp& model) {
    const Terms terms{static_cast<double>(call.size), static_cast<double>(std::bit_width(call.size - 1)),
                      static_cast<double>(call.bytes), model};
    const Bytes segment =
        tuning.segment == 0 || tuning.segment > call.bytes ? std::max<Bytes>(call.bytes, 1) : tuning.segment;
    for (const Row& row : rows) {
        if (row.operation == algorithm.operation && row.name == algorithm.name)
            return row.formula(terms, call, segment);
    }
    return std::nullopt;
}

} // namespace orrery
