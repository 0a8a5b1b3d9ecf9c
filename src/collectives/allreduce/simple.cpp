// Allreduces made of a reduction and a broadcast, and recursive doubling.
#include "collectives/allreduce/allreduce.h"
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/folded.h"
#include "collectives/reduce/reduce.h"
#include "collectives/selectors.h"

namespace orrery::coll {

namespace {

Steps reduce_then_bcast(CollectiveCall call, CollectiveTuning tuning,
                        Steps (*up)(CollectiveCall, CollectiveTuning),
                        Steps (*down)(CollectiveCall, CollectiveTuning)) {
    call.root = 0;
    call.operation = Collective::reduce;
    for (Steps half = up(call, tuning); const Step* step = half.next();) co_yield *step;
    call.operation = Collective::bcast;
    for (Steps half = down(call, tuning); const Step* step = half.next();) co_yield *step;
}

} // namespace

// Open MPI, coll_base_allreduce.c, basic_linear.
Steps allreduce_linear(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_then_bcast(call, tuning, reduce_linear, bcast_linear);
}

// Open MPI, coll_base_allreduce.c, nonoverlapping: whatever it would take for a reduction and for a broadcast.
Steps allreduce_nonoverlapping(CollectiveCall call, CollectiveTuning tuning) {
    const auto selected = [](CollectiveCall part, CollectiveTuning /*tuning*/) {
        return select_openmpi(part).run(part);
    };
    return reduce_then_bcast(call, tuning, selected, selected);
}

// SimGrid's default and its redbcast: its default reduction and broadcast.
Steps allreduce_reduce_bcast(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_then_bcast(call, tuning, call.commutative ? reduce_linear_nonblocking : reduce_linear,
                             bcast_binomial_blocking);
}

// LogGOPSim's generator: everything to the rank 2^i further on in round i; a send waits for the receive of the
// round before and for nothing else. Unless p is a power of two, some operands are combined twice.
Steps allreduce_dissemination(CollectiveCall call, CollectiveTuning /*tuning*/) {
    // What comes in a round is combined with the sum so far in its own place: that sum may still be on its way.
    const Blocks rooms = Blocks::equal(call.bytes);
    Piece sum = whole(input_of(call), call);
    std::uint32_t round = 0;
    for (std::uint64_t distance = 1; distance < call.size; distance *= 2, ++round) {
        const auto step = static_cast<std::uint32_t>(distance);
        const Piece incoming = rooms.piece(first_temporary, round);
        co_yield after_wait(isend(after(call.rank, step, call.size), sum, 2 * round));
        co_yield at_once(irecv(before(call.rank, step, call.size), incoming, 2 * round + 1));
        co_yield wait(2 * round + 1);
        co_yield reduce(sum, incoming);
        sum = incoming;
    }
    co_yield wait_all();
    if (sum.buffer != receive_buffer) co_yield copy(sum, whole(receive_buffer, call));
}

// SimGrid's iallreduce: everybody sends everything to everybody.
Steps allreduce_exchange_all(CollectiveCall call, CollectiveTuning /*tuning*/) {
    constexpr std::uint8_t rooms = first_temporary;
    const Blocks blocks = Blocks::equal(call.bytes);
    const Piece own = whole(input_of(call), call);
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) continue;
        co_yield isend(peer, own, 2 * peer);
        co_yield irecv(peer, blocks.piece(rooms, peer), 2 * peer + 1);
    }
    co_yield wait_all();
    const Piece total = whole(receive_buffer, call);
    if (!call.in_place) co_yield copy(own, total);
    for (std::uint32_t peer = call.rank; peer-- > 0;) co_yield reduce(blocks.piece(rooms, peer), total);
    for (std::uint32_t peer = call.rank + 1; peer < call.size; ++peer) {
        co_yield reduce_after(blocks.piece(rooms, peer), total);
    }
}

// Open MPI, coll_base_allreduce.c, recursivedoubling; MPICH, allreduce_intra_recursive_doubling.c.
Steps allreduce_recursive_doubling(CollectiveCall call, CollectiveTuning /*tuning*/) {
    constexpr std::uint8_t room = first_temporary;
    const Folded fold(call.rank, call.size, Folded::Stays::odd);
    const Piece total = whole(receive_buffer, call);
    const Piece incoming = whole(room, call);
    if (!call.in_place) co_yield copy(whole(send_buffer, call), total);
    if (fold.paired()) {
        if (!fold.inside()) {
            co_yield send(fold.partner(), total);
            co_yield recv(fold.partner(), total);
            co_return;
        }
        co_yield recv(fold.partner(), incoming);
        co_yield reduce(incoming, total);
    }
    for (std::uint32_t mask = 1; mask < fold.inner(); mask *= 2) {
        const std::uint32_t peer = fold.actual(fold.number() ^ mask);
        co_yield sendrecv(peer, total, peer, incoming);
        co_yield peer < call.rank ? reduce(incoming, total) : reduce_after(incoming, total);
    }
    if (fold.paired()) co_yield send(fold.partner(), total);
}

} // namespace orrery::coll
