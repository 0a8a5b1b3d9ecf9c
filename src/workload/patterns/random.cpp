// Random partners: seeded, the same on every machine, and computed without a table of all ranks.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"
#include "workload/patterns/mixing.h"

namespace orrery::patterns_detail {

namespace {

// A random half of the ranks is paired with the other half; of an odd number the last is left out.
// `program(is_first, partner, out)` says what a rank of either half does.
template <typename Program> Made paired(const Options& o, std::uint64_t messages_per_pair, Program program) {
    const std::uint32_t half = o.ranks / 2;
    const Permutation places(2 * std::max(half, 1u), o.seed);
    return pattern_of(half * messages_per_pair, [=](std::uint32_t rank, RankGraph& out) {
        if (rank >= 2 * half) return;
        const std::uint32_t place = places.image(rank);
        const bool first = place < half;
        program(first, places.preimage(first ? place + half : place - half), out);
    });
}

} // namespace

Made random_bisection(const Options& o) {
    const Bytes bytes = o.bytes;
    return paired(o, 1, [bytes](bool first, std::uint32_t partner, RankGraph& out) {
        out.add(first ? send_op(partner, bytes) : recv_op(partner, bytes));
    });
}

// Both directions at once.
Made random_exchange(const Options& o) {
    const Bytes bytes = o.bytes;
    return paired(o, 2, [bytes](bool first, std::uint32_t partner, RankGraph& out) {
        out.add(first ? send_op(partner, bytes) : recv_op(partner, bytes));
        out.add(first ? recv_op(partner, bytes) : send_op(partner, bytes));
    });
}

// Everybody sends to one rank and hears from one. The permutation is one random cycle through all ranks,
// another one in each iteration, so nobody sends to itself. A send waits for the iteration before; all receives
// are posted at once, so the iteration is the tag.
Made random_permutation(const Options& o) {
    expect_operations(2 * static_cast<double>(o.iterations));
    const std::uint64_t senders = o.ranks > 1 ? o.ranks : 0;
    return pattern_of(o.iterations * senders, [o](std::uint32_t rank, RankGraph& out) {
        if (o.ranks == 1) return;
        for (std::uint32_t i = 0; i < o.iterations; ++i) {
            const Permutation places(o.ranks, mix(o.seed, i));
            const std::uint32_t place = places.image(rank);
            const std::uint32_t to = places.preimage(plus(place, 1, o.ranks));
            const std::uint32_t from = places.preimage(minus(place, 1, o.ranks));
            const std::uint32_t send = out.add(send_op(to, o.bytes, i));
            const std::uint32_t recv = out.add(recv_op(from, o.bytes, i));
            if (i == 0) continue;
            out.require(send, send - 2);
            out.require(send, recv - 2);
        }
    });
}

// The lower half of the ranks sends, the upper half receives: a random graph in which everybody has `fan`
// partners.
Made random_bipartite(const Options& o) {
    const std::uint32_t half = o.ranks / 2;
    const std::uint32_t fan = o.fan == 0 ? half : o.fan;
    expect(half == 0 || fan <= half, fmt::format("--fan {} is too many: each half has {} ranks", o.fan, half));
    const Permutation left(std::max(half, 1u), mix(o.seed, 0));
    const Permutation right(std::max(half, 1u), mix(o.seed, 1));
    return pattern_of(std::uint64_t{half} * fan, [=](std::uint32_t rank, RankGraph& out) {
        if (rank >= 2 * half) return;
        const bool sends = rank < half;
        const std::uint32_t place = sends ? left.image(rank) : right.image(rank - half);
        for (std::uint32_t i = 0; i < fan; ++i) {
            if (sends) {
                out.add(send_op(half + right.preimage(plus(place, i, half)), o.bytes));
            } else {
                out.add(recv_op(left.preimage(minus(place, i, half)), o.bytes));
            }
        }
    });
}

} // namespace orrery::patterns_detail
