// Everybody sends a block to everybody.
//
// In closed form for speed; tests prove `linear-alltoall` and `linear-alltoallv` equal to the library of
// collectives, and `pairwise-alltoall` but for the numbers of send and receive, which the library posts first.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"
#include "workload/patterns/mixing.h"

#include <algorithm>
#include <bit>

namespace orrery::patterns_detail {

namespace {

std::uint64_t pairs(const Options& o) { return std::uint64_t{o.ranks} * (o.ranks - 1); }

} // namespace

// All sends and receives at once, by distance.
Made linear_alltoall(const Options& o) {
    return pattern_of(pairs(o), [o](std::uint32_t rank, RankGraph& out) {
        for (std::uint32_t distance = 1; distance < o.ranks; ++distance) {
            out.add(send_op(plus(rank, distance, o.ranks), o.bytes));
            out.add(recv_op(minus(rank, distance, o.ranks), o.bytes));
        }
    });
}

// The same with random block sizes; blocks for the root are full, and so are, with `outcast`, those of the rank
// after it.
Made linear_alltoallv(const Options& o) {
    expect(o.bytes >= 1, "--bytes is the size of the largest block of an alltoallv: at least 1");
    expect(o.skew >= 1, "--skew is at least 1");
    const Bytes largest = std::max<Bytes>(1, static_cast<Bytes>(static_cast<double>(o.bytes) / o.skew));
    const std::uint32_t caster = plus(o.root, o.ranks > 1 ? 1 : 0, o.ranks);
    const auto block = [=](std::uint32_t from, std::uint32_t to) {
        if (to == o.root || (o.outcast && from == caster)) return o.bytes;
        return 1 + mix(mix(o.seed, from), to) % largest;
    };
    return pattern_of(pairs(o), [=](std::uint32_t rank, RankGraph& out) {
        for (std::uint32_t distance = 1; distance < o.ranks; ++distance) {
            const std::uint32_t to = plus(rank, distance, o.ranks);
            const std::uint32_t from = minus(rank, distance, o.ranks);
            out.add(send_op(to, block(rank, to)));
            out.add(recv_op(from, block(from, rank)));
        }
    });
}

// One partner after the other, as a loop over MPI_Sendrecv does: partner XOR step for powers of two, otherwise
// to the rank at +step and from the one at -step. A step begins when both halves of the one before are done.
Made pairwise_alltoall(const Options& o) {
    const bool exchange = std::has_single_bit(o.ranks);
    return pattern_of(pairs(o), [=](std::uint32_t rank, RankGraph& out) {
        for (std::uint32_t step = 1; step < o.ranks; ++step) {
            const std::uint32_t to = exchange ? rank ^ step : plus(rank, step, o.ranks);
            const std::uint32_t from = exchange ? rank ^ step : minus(rank, step, o.ranks);
            const std::uint32_t send = out.add(send_op(to, o.bytes));
            const std::uint32_t recv = out.add(recv_op(from, o.bytes));
            if (step == 1) continue;
            out.require(send, send - 2);
            out.require(send, recv - 2);
            out.require(recv, send - 2);
            out.require(recv, recv - 2);
        }
    });
}

// To +step and from -step; the next step begins when a block has come in, while one's own may still be under
// way: so a loop over receive, nonblocking send, wait for the receive.
Made rolling_alltoall(const Options& o) {
    return pattern_of(pairs(o), [=](std::uint32_t rank, RankGraph& out) {
        for (std::uint32_t step = 1; step < o.ranks; ++step) {
            const std::uint32_t send = out.add(send_op(plus(rank, step, o.ranks), o.bytes));
            const std::uint32_t recv = out.add(recv_op(minus(rank, step, o.ranks), o.bytes));
            if (step == 1) continue;
            out.require(send, recv - 2);
            out.require(recv, recv - 2);
        }
    });
}

// Bruck's algorithm: in round k all blocks whose distance to their goal has bit k set travel 2^k further, in
// one message.
Made bruck_alltoall(const Options& o) {
    expect(o.bytes <= max_op_size / o.ranks, "--bytes times the ranks is too large");
    const auto rounds = static_cast<std::uint64_t>(std::bit_width(o.ranks - 1));
    return pattern_of(o.ranks * rounds, [o](std::uint32_t rank, RankGraph& out) {
        Exchange exchange{out};
        for (std::uint32_t bit = 1; bit < o.ranks; bit <<= 1) {
            const std::uint32_t period = o.ranks & ~(2 * bit - 1); // in whole periods, half have the bit
            const std::uint32_t rest = o.ranks - period;
            const std::uint32_t blocks = period / 2 + (rest > bit ? rest - bit : 0);
            exchange.send(plus(rank, bit, o.ranks), o.bytes * blocks);
            exchange.receive(minus(rank, bit, o.ranks), o.bytes * blocks);
        }
    });
}

} // namespace orrery::patterns_detail
