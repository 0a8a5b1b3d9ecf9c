// Allreduces of long messages: a reduce-scatter, then an allgather.
#include "collectives/halving.h"
#include "collectives/allgather/allgather.h"
#include "collectives/allreduce/allreduce.h"
#include "collectives/common.h"
#include "collectives/phases.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t allreduce_room = first_temporary;

Steps scatter_allgather(CollectiveCall call, Folded fold, Halving halving) {
    constexpr std::uint8_t work = receive_buffer;
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(work, call));
    if (fold.paired()) {
        const std::uint32_t peer = fold.partner();
        if (!fold.inside()) {
            co_yield send(peer, whole(work, call));
            co_yield recv(peer, whole(work, call));
            co_return;
        }
        co_yield recv(peer, whole(allreduce_room, call));
        co_yield peer < call.rank ? reduce(whole(allreduce_room, call), whole(work, call))
                                  : reduce_after(whole(allreduce_room, call), whole(work, call));
    }
    for (Steps down = reduce_scatter_halving(halving, work, allreduce_room, ExchangeBy::sendrecv);
         const Step* step = down.next();) {
        co_yield *step;
    }
    for (Steps up = allgather_unhalving(halving, work); const Step* step = up.next();) co_yield *step;
    if (fold.paired()) co_yield send(fold.partner(), whole(work, call));
}

} // namespace

// Open MPI, coll_base_allreduce.c, redscat_allgather: the ranks of a pair first reduce half of the data each.
Steps allreduce_rabenseifner(CollectiveCall call, CollectiveTuning tuning) {
    const Folded fold(call.rank, call.size, Folded::Stays::even);
    if (count_of(call) < fold.inner() || !call.commutative) {
        for (Steps all = allreduce_linear(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    constexpr std::uint8_t work = receive_buffer;
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(work, call));
    if (fold.paired()) {
        const Bytes element = call.element == 0 || call.bytes % call.element != 0 ? 1 : call.element;
        const Bytes left = call.bytes / element / 2 * element;
        const Bytes right = call.bytes - left;
        const std::uint32_t peer = fold.partner();
        if (!fold.inside()) {
            co_yield sendrecv(peer, part(work, 0, left), peer, part(allreduce_room, left, right));
            co_yield reduce(part(allreduce_room, left, right), part(work, left, right));
            co_yield send(peer, part(work, left, right));
            co_yield recv(peer, whole(work, call));
            co_return;
        }
        co_yield sendrecv(peer, part(work, left, right), peer, part(allreduce_room, 0, left));
        co_yield reduce_after(part(allreduce_room, 0, left), part(work, 0, left));
        co_yield recv(peer, part(work, left, right));
    }
    const Halving halving = Halving::of_elements(fold, call.bytes, call.element, Halving::Bits::low_first);
    for (Steps down = reduce_scatter_halving(halving, work, allreduce_room, ExchangeBy::sendrecv);
         const Step* step = down.next();) {
        co_yield *step;
    }
    for (Steps up = allgather_unhalving(halving, work); const Step* step = up.next();) co_yield *step;
    if (fold.paired()) co_yield send(fold.partner(), whole(work, call));
}

// MPICH, allreduce_intra_reduce_scatter_allgather.c; recursive doubling if there is less than one element each.
Steps allreduce_scatter_allgather(CollectiveCall call, CollectiveTuning tuning) {
    const Folded fold(call.rank, call.size, Folded::Stays::odd);
    if (count_of(call) < fold.inner() || !call.commutative) return allreduce_recursive_doubling(call, tuning);
    const Blocks blocks = Blocks::even(call.bytes, fold.inner(), call.element);
    return scatter_allgather(call, fold, Halving::of_blocks(fold, blocks, Halving::Bits::low_first));
}

// MVAPICH2 and SimGrid (allreduce-rab-rdb.cpp, allreduce-mvapich-rs.cpp): the last block has what remains.
Steps allreduce_scatter_allgather_last_longer(CollectiveCall call, CollectiveTuning tuning) {
    const Folded fold(call.rank, call.size, Folded::Stays::odd);
    if (count_of(call) < fold.inner() || !call.commutative) return allreduce_recursive_doubling(call, tuning);
    const Blocks blocks = Blocks::last_longer(call.bytes, fold.inner(), call.element);
    return scatter_allgather(call, fold, Halving::of_blocks(fold, blocks, Halving::Bits::low_first));
}

namespace {

// SimGrid pads the data so that they divide by the number of ranks, by one element more than needed.
Bytes padded_share(const CollectiveCall& call) {
    const Bytes element = call.element == 0 || call.bytes % call.element != 0 ? 1 : call.element;
    const Bytes count = call.bytes / element;
    return (count % call.size == 0 ? count / call.size : (count + call.size) / call.size) * element;
}

} // namespace

// SimGrid, allreduce-rab1.cpp: halving by the high bits first, then everybody sends its part to everybody.
// Other sizes than powers of two, which SimGrid refuses: as MPICH.
Steps allreduce_halving_linear_allgather(CollectiveCall call, CollectiveTuning tuning) {
    if (!power_of_two(call) || !call.commutative) {
        for (Steps all = allreduce_scatter_allgather(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    constexpr std::uint8_t work = first_temporary + 1;
    constexpr std::uint8_t whole_result = first_temporary + 2;
    const Blocks blocks = Blocks::equal(padded_share(call));
    const Folded fold(call.rank, call.size, Folded::Stays::even);
    co_yield copy(whole(input_of(call), call), whole(work, call));
    for (Steps down = reduce_scatter_halving(Halving::of_blocks(fold, blocks, Halving::Bits::high_first), work,
                                             allreduce_room, ExchangeBy::sendrecv);
         const Step* step = down.next();) {
        co_yield *step;
    }
    const Piece own = blocks.piece(work, call.rank);
    co_yield copy(own, blocks.piece(whole_result, call.rank));
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) continue;
        co_yield isend(peer, own, 2 * peer);
        co_yield irecv(peer, blocks.piece(whole_result, peer), 2 * peer + 1);
    }
    co_yield wait_all();
    co_yield copy(whole(whole_result, call), whole(receive_buffer, call));
}

// SimGrid, allreduce-rab2.cpp: everybody gets its part of everybody's data and reduces it, then sends it to
// everybody.
Steps allreduce_alltoall_allgather(CollectiveCall call, CollectiveTuning /*tuning*/) {
    constexpr std::uint8_t given = first_temporary + 1;
    constexpr std::uint8_t whole_result = first_temporary + 2;
    const Bytes element = call.element == 0 || call.bytes % call.element != 0 ? 1 : call.element;
    const bool few = call.bytes / element < call.size && call.bytes > 0;
    const Blocks blocks = Blocks::equal(few ? call.size * element : padded_share(call));
    co_yield copy(whole(input_of(call), call), whole(given, call));
    const Piece mine =
        part(allreduce_room, blocks.offset(call.size), blocks.bytes(call.rank)); // behind what comes in
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = after(call.rank, i, call.size);
        co_yield irecv(peer, blocks.piece(allreduce_room, peer), 2 * peer);
    }
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t peer = before(call.rank, i, call.size);
        co_yield isend(peer, blocks.piece(given, peer), 2 * peer + 1);
    }
    co_yield wait_all();
    co_yield copy(blocks.piece(given, call.rank), blocks.piece(allreduce_room, call.rank));
    co_yield copy(blocks.piece(allreduce_room, 0), mine);
    for (std::uint32_t peer = 1; peer < call.size; ++peer)
        co_yield reduce_after(blocks.piece(allreduce_room, peer), mine);
    co_yield copy(mine, blocks.piece(whole_result, call.rank));
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) continue;
        co_yield isend(peer, mine, 2 * peer);
        co_yield irecv(peer, blocks.piece(whole_result, peer), 2 * peer + 1);
    }
    co_yield wait_all();
    co_yield copy(whole(whole_result, call), whole(receive_buffer, call));
}

} // namespace orrery::coll
