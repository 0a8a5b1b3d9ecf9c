// Collectives by pairwise exchange at distances that double or halve: the partner is rank XOR 2^k.
//
// They need a power of two. The ranks above the largest one fold: each hands its data to the rank that lies
// that power of two below it and gets the result from there at the end.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

#include <algorithm>
#include <bit>

namespace orrery::patterns_detail {

namespace {

struct Fold {
    explicit Fold(std::uint32_t ranks)
        : core(std::bit_floor(ranks)), extra(ranks - core),
          steps(static_cast<std::uint32_t>(std::bit_width(core)) - 1) {}

    std::uint32_t core;  // ranks 0 .. core-1 take part in the exchange
    std::uint32_t extra; // rank core + i stands behind rank i, for i below this
    std::uint32_t steps; // log2 core

    [[nodiscard]] std::uint64_t messages(std::uint64_t exchanges) const {
        return core * exchanges + 2 * std::uint64_t{extra};
    }
};

// The program of one rank: fold in, `steps(exchange)` if it is a core rank, fold out.
template <typename Steps>
void folded(const Fold& fold, std::uint32_t rank, Bytes in, Bytes result, Exchange exchange, Steps steps) {
    if (rank >= fold.core) {
        exchange.out.add(send_op(rank - fold.core, in));
        exchange.out.add(recv_op(rank - fold.core, result));
        return;
    }
    const bool serves = rank < fold.extra;
    if (serves) exchange.receive_operand(rank + fold.core, in);
    steps(exchange);
    if (serves) exchange.send(rank + fold.core, result);
}

// What a core rank exchanges in a step of the reduce-scatter; the allgather retraces the steps backwards.
struct Halving {
    std::uint32_t partner;
    Bytes give; // in the reduce-scatter
    Bytes keep;
    Bytes give_back; // in the allgather
    Bytes get_back;
};

// Reduce-scatter, then allgather: every step halves, then doubles what a rank holds.
template <typename StepOf> Made reduce_scatter_allgather(const Options& o, bool in_order, StepOf step_of) {
    const Fold fold(o.ranks);
    return pattern_of(fold.messages(std::uint64_t{2} * fold.steps), [=](std::uint32_t rank, RankGraph& out) {
        folded(fold, rank, o.bytes, o.bytes, {out, in_order, o.reduce_cost}, [&](Exchange& exchange) {
            const auto wait_instead = [&] {
                if (o.pause) exchange.ready = out.add(calc_op(picoseconds(*o.pause)));
            };
            for (std::uint32_t step = 0; step < fold.steps; ++step) {
                const Halving h = step_of(fold, rank, step);
                exchange.send(h.partner, h.give);
                exchange.receive_operand(h.partner, h.keep);
                wait_instead();
            }
            for (std::uint32_t step = fold.steps; step-- > 0;) {
                const Halving h = step_of(fold, rank, step);
                exchange.send(h.partner, h.give_back);
                exchange.receive(h.partner, h.get_back);
                if (step > 0) wait_instead();
            }
        });
    });
}

} // namespace

Made recursive_doubling_allreduce(const Options& o) {
    const Fold fold(o.ranks);
    return pattern_of(fold.messages(fold.steps), [=](std::uint32_t rank, RankGraph& out) {
        folded(fold, rank, o.bytes, o.bytes, {out, true, o.reduce_cost}, [&](Exchange& exchange) {
            for (std::uint32_t distance = 1; distance < fold.core; distance <<= 1) {
                exchange.send(rank ^ distance, o.bytes);
                exchange.receive_operand(rank ^ distance, o.bytes);
            }
        });
    });
}

// `bytes` is what each rank contributes. A folded rank gets all blocks but its own.
Made recursive_doubling_allgather(const Options& o) {
    expect(o.bytes <= max_op_size / o.ranks, "--bytes times the ranks is too large");
    const Fold fold(o.ranks);
    // Bytes held by core ranks first .. first+count-1 and the ranks behind them.
    const auto held = [=](std::uint32_t first, std::uint32_t count) {
        const std::uint32_t behind = first < fold.extra ? std::min(fold.extra - first, count) : 0;
        return o.bytes * (std::uint64_t{count} + behind);
    };
    return pattern_of(fold.messages(fold.steps), [=](std::uint32_t rank, RankGraph& out) {
        const Bytes others = o.bytes * (o.ranks - 1);
        folded(fold, rank, o.bytes, others, {out}, [&](Exchange& exchange) {
            for (std::uint32_t distance = 1; distance < fold.core; distance <<= 1) {
                const std::uint32_t own = rank & ~(distance - 1);
                exchange.send(rank ^ distance, held(own, distance));
                exchange.receive(rank ^ distance, held(own ^ distance, distance));
            }
        });
    });
}

// Rabenseifner's allreduce: distances P/2 .. 1 and back. The vector is cut into as many blocks as there are
// core ranks, the first ones a byte longer where it does not divide.
Made rabenseifner_allreduce(const Options& o) {
    const Bytes bytes = o.bytes;
    return reduce_scatter_allgather(o, true, [bytes](const Fold& fold, std::uint32_t rank, std::uint32_t step) {
        const std::uint32_t distance = fold.core >> (step + 1);
        const auto size = [&](std::uint32_t first) { // of `distance` blocks from there
            const Bytes longer = bytes % fold.core;
            const Bytes extra = first < longer ? std::min<Bytes>(longer - first, distance) : 0;
            return bytes / fold.core * distance + extra;
        };
        const std::uint32_t own = rank & ~(distance - 1);
        const Bytes keep = size(own);
        const Bytes give = size(own ^ distance);
        return Halving{rank ^ distance, give, keep, keep, give};
    });
}

// The same with distances 1 .. P/2 and back, and sizes rounded down at each halving: LogGOPSim's
// allreduce_recdoub. For a power of two the dependencies are the original's too: a send waits for the receive
// before it only, so when ranks are out of step, the two messages of a pair can overtake each other.
Made halving_doubling_allreduce(const Options& o) {
    const Bytes bytes = o.bytes;
    const bool in_order = !std::has_single_bit(o.ranks);
    return reduce_scatter_allgather(o, in_order,
                                    [bytes](const Fold& fold, std::uint32_t rank, std::uint32_t step) {
                                        const Bytes half = bytes >> (step + 1);
                                        const Bytes back = (bytes >> fold.steps) << (fold.steps - 1 - step);
                                        return Halving{rank ^ (1u << step), half, half, back, back};
                                    });
}

} // namespace orrery::patterns_detail
