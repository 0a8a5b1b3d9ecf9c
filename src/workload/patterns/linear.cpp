// Patterns between one rank and many, and between two.
//
// In closed form for speed; tests prove `scatter` and `gather` equal to the library of collectives.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

namespace orrery::patterns_detail {

namespace {

std::uint32_t partners(const Options& o) {
    expect(o.fan < o.ranks, fmt::format("--fan {} is too many: {} ranks besides the root", o.fan, o.ranks - 1));
    return o.fan == 0 ? o.ranks - 1 : o.fan;
}

// Root and `fan` partners exchange `iterations` messages in one direction; `at_root` and `at_partner` make the
// operations. Nothing waits for anything: the model's CPU and NIC put the messages in a row.
Made star(const Options& o, Op (*at_root)(std::uint32_t, Bytes), Op (*at_partner)(std::uint32_t, Bytes)) {
    const std::uint32_t fan = partners(o);
    expect_operations(static_cast<double>(o.iterations) * fan);
    return pattern_of(o.iterations * fan, [=](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t node = swap_root(rank, o.root);
        if (node > fan) return;
        for (std::uint64_t i = 0; i < o.iterations; ++i) {
            if (node != 0) {
                out.add(at_partner(o.root, o.bytes));
                continue;
            }
            for (std::uint32_t partner = 1; partner <= fan; ++partner) {
                out.add(at_root(swap_root(partner, o.root), o.bytes));
            }
        }
    });
}

Op send(std::uint32_t to, Bytes bytes) { return send_op(to, bytes); }
Op receive(std::uint32_t from, Bytes bytes) { return recv_op(from, bytes); }

} // namespace

Made from_root(const Options& o) { return star(o, send, receive); }

Made to_root(const Options& o) { return star(o, receive, send); }

// Rank 0 hears from all, then tells all; one empty computation stands for "all have been heard".
Made linear_barrier(const Options& o) {
    return pattern_of(2 * (std::uint64_t{o.ranks} - 1), [o](std::uint32_t rank, RankGraph& out) {
        if (rank != 0) {
            out.add(send_op(0, 1));
            out.add(recv_op(0, 1));
            return;
        }
        const std::uint32_t all_here = out.add(calc_op(0));
        for (std::uint32_t other = 1; other < o.ranks; ++other) {
            const std::uint32_t recv = out.add(recv_op(other, 1));
            const std::uint32_t go = out.add(send_op(other, 1));
            out.require(all_here, recv);
            out.require(go, all_here);
        }
    });
}

// Ranks 2i and 2i+1 send a message to and fro.
Made ping_pong(const Options& o) {
    expect_operations(2 * static_cast<double>(o.iterations));
    return pattern_of(2 * o.iterations * (o.ranks / 2), [o](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t partner = rank ^ 1u;
        if (partner >= o.ranks) return;
        std::uint32_t heard = no_op;
        for (std::uint64_t i = 0; i < o.iterations; ++i) {
            if (rank < partner) {
                require_if(out, out.add(send_op(partner, o.bytes)), heard);
                heard = out.add(recv_op(partner, o.bytes));
            } else {
                heard = out.add(recv_op(partner, o.bytes));
                out.require(out.add(send_op(partner, o.bytes)), heard);
            }
        }
    });
}

} // namespace orrery::patterns_detail
