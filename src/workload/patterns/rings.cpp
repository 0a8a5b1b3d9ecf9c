// Patterns in which a rank talks to its neighbours in a ring or a chain.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

#include <utility>
#include <vector>

namespace orrery::patterns_detail {

namespace {

// `steps` times: send to the next rank what came from the previous one in the step before. What comes in the
// first `reducing` steps is combined with the rank's own data.
void shift(std::uint32_t rank, std::uint32_t ranks, Bytes bytes, std::uint64_t steps, std::uint64_t reducing,
           double reduce_cost, RankGraph& out) {
    Exchange exchange{out, false, reduce_cost}; // one partner: messages keep their order anyway
    for (std::uint64_t step = 0; step < steps; ++step) {
        exchange.send(plus(rank, 1, ranks), bytes);
        if (step < reducing) {
            exchange.receive_operand(minus(rank, 1, ranks), bytes);
        } else {
            exchange.receive(minus(rank, 1, ranks), bytes);
        }
    }
}

// The data goes down the chain 0, 1, 2, ... in segments. With `one_by_one` a rank asks for the next segment
// only when it has passed on the last.
Made chain(const Options& o, bool one_by_one) {
    expect(o.segment >= 1, "--segment is at least one byte");
    const std::uint64_t segments = o.bytes / o.segment + (o.bytes % o.segment != 0 ? 1 : 0);
    expect_operations(2 * static_cast<double>(segments));
    return pattern_of((o.ranks - 1) * segments, [=](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t node = swap_root(rank, o.root);
        const bool receives = node > 0;
        const bool sends = node + 1 < o.ranks;
        const std::uint32_t from = receives ? swap_root(node - 1, o.root) : 0;
        const std::uint32_t to = swap_root(node + 1, o.root);
        std::uint32_t previous_send = no_op;
        for (std::uint64_t i = 0; i < segments; ++i) {
            const Bytes size = i + 1 < segments ? o.segment : o.bytes - o.segment * i;
            const std::uint32_t recv = receives ? out.add(recv_op(from, size)) : no_op;
            const std::uint32_t send = sends ? out.add(send_op(to, size)) : no_op;
            if (sends && receives) {
                out.require(send, recv);
                if (one_by_one) require_if(out, recv, previous_send);
            }
            previous_send = send;
        }
    });
}

} // namespace

// One message goes round; each rank computes before it passes it on.
Made ring(const Options& o) {
    expect_operations(3 * static_cast<double>(o.iterations));
    const std::uint64_t hops = o.ranks > 1 ? o.ranks : 0;
    return pattern_of(o.iterations * hops, [o](std::uint32_t rank, RankGraph& out) {
        if (o.ranks == 1) return;
        const auto hear = [&] {
            const std::uint32_t recv = out.add(recv_op(minus(rank, 1, o.ranks), o.bytes));
            if (o.compute == Time::zero()) return recv;
            const std::uint32_t calc = out.add(calc_op(picoseconds(o.compute)));
            out.require(calc, recv);
            return calc;
        };
        std::uint32_t ready = no_op;
        for (std::uint64_t i = 0; i < o.iterations; ++i) {
            if (rank != 0) ready = hear();
            require_if(out, out.add(send_op(plus(rank, 1, o.ranks), o.bytes)), ready);
            if (rank == 0) ready = hear();
        }
    });
}

// Two messages start at rank 0 and go round in opposite directions.
Made double_ring(const Options& o) {
    const std::uint64_t hops = o.ranks > 1 ? o.ranks : 0;
    return pattern_of(2 * hops, [o](std::uint32_t rank, RankGraph& out) {
        if (o.ranks == 1) return;
        const std::uint32_t next = plus(rank, 1, o.ranks);
        const std::uint32_t previous = minus(rank, 1, o.ranks);
        const auto pass = [&](std::uint32_t from, std::uint32_t to) {
            const std::uint32_t send = out.add(send_op(to, o.bytes));
            const std::uint32_t recv = out.add(recv_op(from, o.bytes));
            if (rank != 0) out.require(send, recv);
        };
        pass(previous, next);
        pass(next, previous);
    });
}

// As in WRF, whose ranks stand in rows of K: first up, then down; the next iteration when all of it is there.
Made shift_exchange(const Options& o) {
    expect(o.distance >= 1 && (o.ranks == 1 || o.distance < o.ranks),
           "--distance is from 1 to one less than the number of ranks");
    expect_operations(4 * static_cast<double>(o.iterations));
    const std::uint64_t partners = o.ranks == 1 ? 0 : o.periodic ? o.ranks : o.ranks - o.distance;
    return pattern_of(2 * partners * o.iterations, [o](std::uint32_t rank, RankGraph& out) {
        if (o.ranks == 1) return;
        const bool above = o.periodic || rank < o.ranks - o.distance;
        const bool below = o.periodic || rank >= o.distance;
        const std::uint32_t up = above ? plus(rank, o.distance, o.ranks) : 0;
        const std::uint32_t down = below ? minus(rank, o.distance, o.ranks) : 0;
        std::vector<std::uint32_t> before; // of the last iteration
        for (std::uint64_t i = 0; i < o.iterations; ++i) {
            // Two messages between the same ranks (half way round) are told apart by their tags.
            std::vector<std::uint32_t> now;
            if (above) now.push_back(out.add(send_op(up, o.bytes, 0)));
            if (below) now.push_back(out.add(send_op(down, o.bytes, 1)));
            if (below) now.push_back(out.add(recv_op(down, o.bytes, 0)));
            if (above) now.push_back(out.add(recv_op(up, o.bytes, 1)));
            for (const std::uint32_t after : now) {
                for (const std::uint32_t each : before) out.require(after, each);
            }
            before = std::move(now);
        }
    });
}

Made pipelined_ring(const Options& o) { return chain(o, false); }

Made pipelined_ring_dep(const Options& o) { return chain(o, true); }

Made ring_allgather(const Options& o) {
    const std::uint64_t steps = o.ranks - 1;
    expect_operations(2 * static_cast<double>(steps));
    return pattern_of(o.ranks * steps, [=](std::uint32_t rank, RankGraph& out) {
        shift(rank, o.ranks, o.bytes, steps, 0, 0, out);
    });
}

// Reduce-scatter and allgather of chunks of bytes/P, rounded down as in the original.
Made ring_allreduce(const Options& o) {
    const std::uint64_t steps = o.ranks - 1;
    expect_operations(5 * static_cast<double>(steps));
    return pattern_of(2 * steps * o.ranks, [=](std::uint32_t rank, RankGraph& out) {
        shift(rank, o.ranks, o.bytes / o.ranks, 2 * steps, steps, o.reduce_cost, out);
    });
}

} // namespace orrery::patterns_detail
