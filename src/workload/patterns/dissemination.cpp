// Dissemination: in round r everybody sends to the rank at distance 2^r and hears from the one at -2^r.
//
// In closed form, and not by the coroutine of the library of collectives: the programs of millions of ranks are
// made from it, one after the other. A test proves `dissemination` equal to the library's.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

#include <array>
#include <bit>

namespace orrery::patterns_detail {

namespace {

std::uint64_t rounds(std::uint32_t ranks) {
    return static_cast<std::uint64_t>(std::bit_width(ranks - 1)); // ceil(log2 ranks)
}

void append(std::uint32_t rank, std::uint32_t ranks, Bytes bytes, std::uint32_t tag, double reduce_cost,
            RankGraph& out) {
    Exchange exchange{out, false, reduce_cost, tag};
    for (std::uint32_t distance = 1; distance < ranks; distance <<= 1) {
        exchange.send(plus(rank, distance, ranks), bytes);
        exchange.receive_operand(minus(rank, distance, ranks), bytes);
    }
}

// Tags of the i-th collective of a program, as the original numbers them: communicator 1, operation 100000 + i.
constexpr std::uint32_t collective_tag(std::uint32_t i) { return (1u << 24) | (100'000u + i); }

// Operations first .. last of `out` are one dissemination: send, receive, send, receive, ...
struct Span {
    std::uint32_t first;
    std::uint32_t end;
};

Span append_collective(std::uint32_t rank, std::uint32_t ranks, Bytes bytes, std::uint32_t i, RankGraph& out) {
    const auto first = static_cast<std::uint32_t>(out.ops.size());
    append(rank, ranks, bytes, collective_tag(i), 0, out);
    return {first, static_cast<std::uint32_t>(out.ops.size())};
}

} // namespace

Made dissemination(const Options& o) {
    return pattern_of(o.ranks * rounds(o.ranks), [o](std::uint32_t rank, RankGraph& out) {
        append(rank, o.ranks, o.bytes, 0, o.reduce_cost, out);
    });
}

// n partners per round at distances w (n+1)^r. What depends on what is the original's: the receives of a round
// are combined in a chain that only the last send of the next round waits for; the others wait for the first
// receive. Where w (n+1)^r passes the number of ranks, ranks hear twice, or from themselves.
Made nway_dissemination(const Options& o) {
    const std::uint32_t n = o.radix;
    expect(n >= 1, "--radix is the number of partners in a round: at least 1");
    std::uint64_t round_count = 0;
    for (std::uint64_t reach = 1; reach < o.ranks; reach *= std::uint64_t{n} + 1) ++round_count;
    expect_operations(static_cast<double>(round_count) * n * 3);
    const auto combine = calc_op(reduction_time(o.bytes, o.reduce_cost));

    return pattern_of(o.ranks * round_count * n, [o, n, combine](std::uint32_t rank, RankGraph& out) {
        std::uint32_t previous_recv = no_op; // the first of the n receives of the round before
        for (std::uint64_t reach = 1; reach < o.ranks; reach *= std::uint64_t{n} + 1) {
            const auto distance = [&](std::uint32_t w) {
                return static_cast<std::uint32_t>(w * reach % o.ranks);
            };
            const auto send = static_cast<std::uint32_t>(out.ops.size());
            for (std::uint32_t w = 1; w <= n; ++w) {
                out.add(send_op(plus(rank, distance(w), o.ranks), o.bytes));
            }
            if (previous_recv != no_op) {
                std::uint32_t chain = previous_recv;
                for (std::uint32_t w = 1; w < n; ++w) {
                    const std::uint32_t calc = out.add(combine);
                    out.require(calc, previous_recv + w);
                    out.require(calc, chain);
                    chain = calc;
                }
                const std::uint32_t calc = out.add(combine);
                out.require(calc, previous_recv);
                out.require(send + n - 1, chain);
                for (std::uint32_t w = 0; w < n; ++w) out.require(send + w, calc);
            }
            previous_recv = static_cast<std::uint32_t>(out.ops.size());
            for (std::uint32_t w = 1; w <= n; ++w) {
                out.add(recv_op(minus(rank, distance(w), o.ranks), o.bytes));
            }
        }
    });
}

// Disseminations one after the other: between two of them stands a marker, an empty computation that all of the
// first must have reached and that all of the next waits for.
Made chained_dissemination(const Options& o) {
    expect_operations(static_cast<double>(o.iterations) * static_cast<double>(2 * rounds(o.ranks) + 1));
    return pattern_of(o.iterations * o.ranks * rounds(o.ranks), [o](std::uint32_t rank, RankGraph& out) {
        std::uint32_t previous = no_op;
        for (std::uint32_t i = 0; i < o.iterations; ++i) {
            const Span ops = append_collective(rank, o.ranks, o.bytes, i, out);
            const std::uint32_t marker = out.add(calc_op(0));
            for (std::uint32_t op = ops.first; previous != no_op && op < ops.end; ++op) {
                const bool starts = op == ops.first || out.ops[op].kind == OpKind::recv;
                if (starts) out.require(op, previous);
            }
            for (std::uint32_t op = ops.first; op < ops.end; ++op) {
                const bool ends = op + 1 == ops.end || out.ops[op].kind == OpKind::send;
                if (ends) out.require(marker, op);
            }
            previous = marker;
        }
    });
}

// Data-parallel training of ResNet-50, one step: a forward pass, then ten times a part of the backward pass
// whose gradients are summed by a dissemination that overlaps with the next part. Sizes are those of
// the DNN-cpp-proxies benchmark (float32 gradients, aggregated into ten messages).
Made resnet(const Options& o) {
    static constexpr std::array<std::uint64_t, 10> gradients{6511592, 6567936, 5905920, 6113280, 6176256,
                                                             6112768, 6176256, 6112768, 5321216, 5194816};
    const std::uint64_t forward = picoseconds(o.compute + Time::us(o.usual_compute_us));
    return pattern_of(gradients.size() * o.ranks * rounds(o.ranks), [o, forward](std::uint32_t rank,
                                                                                 RankGraph& out) {
        const std::uint32_t forward_pass = out.add(calc_op(forward));
        for (std::uint32_t i = 0; i < gradients.size(); ++i) {
            const std::uint32_t backward = out.add(calc_op(forward / 5)); // 119 ms forward, 10 x 23.8 ms back
            out.require(backward, forward_pass);
            const std::uint32_t start = out.add(calc_op(0));
            out.require(start, backward);
            const Span ops = append_collective(rank, o.ranks, gradients[i] * 4, i, out);
            for (std::uint32_t op = ops.first; op < ops.end; ++op) {
                const bool waits = op + 1 == ops.end || out.ops[op].kind == OpKind::send;
                if (waits) out.require(op, start);
            }
        }
    });
}

} // namespace orrery::patterns_detail
