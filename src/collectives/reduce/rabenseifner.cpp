// Reductions of long messages: a reduce-scatter by halving, then a gather to the root (Rabenseifner 1997).
#include "collectives/common.h"
#include "collectives/halving.h"
#include "collectives/reduce/reduce.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t halving_room = first_temporary;
constexpr std::uint8_t halving_sum = first_temporary + 1;

// `halves_fold`: in a pair each reduces half of the data, then the odd one hands its half over (Open MPI);
// otherwise the odd one hands over everything.
Steps scatter_gather(CollectiveCall call, Folded fold, Halving halving, bool halves_fold) {
    const std::uint8_t work = call.rank == call.root ? receive_buffer : halving_sum;
    if (input_of(call) != work) co_yield copy(whole(input_of(call), call), whole(work, call));
    if (fold.paired()) {
        const Bytes element = call.element == 0 || call.bytes % call.element != 0 ? 1 : call.element;
        const Bytes left = halves_fold ? call.bytes / element / 2 * element : call.bytes;
        const Bytes right = call.bytes - left;
        const std::uint32_t peer = fold.partner();
        if (!fold.inside()) {
            if (halves_fold) {
                co_yield sendrecv(peer, part(work, 0, left), peer, part(halving_room, left, right));
                co_yield reduce(part(halving_room, left, right), part(work, left, right));
                co_yield send(peer, part(work, left, right));
            } else {
                co_yield send(peer, whole(work, call));
            }
        } else {
            if (halves_fold) {
                co_yield sendrecv(peer, part(work, left, right), peer, part(halving_room, 0, left));
            } else {
                co_yield recv(peer, whole(halving_room, call));
            }
            co_yield reduce_after(part(halving_room, 0, left), part(work, 0, left));
            if (halves_fold) co_yield recv(peer, part(work, left, right));
        }
    }
    if (fold.inside()) {
        for (Steps down = reduce_scatter_halving(halving, work, halving_room, ExchangeBy::sendrecv);
             const Step* step = down.next();) {
            co_yield *step;
        }
    }
    // A root outside the fold takes the place of number 0, which is rank 0.
    const bool root_outside = !fold.inside(call.root);
    if (root_outside) {
        const Piece first = halving.window(work, 0, halving.levels());
        if (call.rank == call.root) co_yield recv(0, first);
        if (call.rank == 0) {
            co_yield send(call.root, first);
            co_return;
        }
    }
    if (!fold.inside() && call.rank != call.root) co_return;
    const std::uint32_t number = root_outside && call.rank == call.root ? 0 : fold.number();
    const std::uint32_t root_number = root_outside ? 0 : fold.number(call.root);
    for (Steps up =
             gather_unhalving(halving, work, number, root_number, root_outside ? call.root : fold.actual(0));
         const Step* step = up.next();) {
        co_yield *step;
    }
}

} // namespace

// Open MPI, coll_base_reduce.c, redscat_gather; linear if there is too little data or the operation does not
// commute.
Steps reduce_rabenseifner(CollectiveCall call, CollectiveTuning tuning) {
    const Folded fold(call.rank, call.size, Folded::Stays::even);
    if (fold.inner() < 2 || count_of(call) < fold.inner() || !call.commutative)
        return reduce_linear(call, tuning);
    const Halving halving = Halving::of_elements(fold, call.bytes, call.element, Halving::Bits::low_first);
    return scatter_gather(call, fold, halving, true);
}

// MPICH, reduce_intra_reduce_scatter_gather.c; binomial if there is too little data.
Steps reduce_scatter_gather(CollectiveCall call, CollectiveTuning tuning) {
    const Folded fold(call.rank, call.size, Folded::Stays::even);
    if (count_of(call) < fold.inner() || !call.commutative) return reduce_binomial_blocking(call, tuning);
    const Blocks blocks = Blocks::even(call.bytes, fold.inner(), call.element);
    return scatter_gather(call, fold, Halving::of_blocks(fold, blocks, Halving::Bits::low_first), false);
}

// SimGrid, reduce-scatter-gather.cpp: as an older MPICH, the last block has what remains.
Steps reduce_scatter_gather_last_longer(CollectiveCall call, CollectiveTuning tuning) {
    const Folded fold(call.rank, call.size, Folded::Stays::even);
    if (count_of(call) < call.size || !call.commutative) return reduce_binomial_blocking(call, tuning);
    const Blocks blocks = Blocks::last_longer(call.bytes, fold.inner(), call.element);
    return scatter_gather(call, fold, Halving::of_blocks(fold, blocks, Halving::Bits::low_first), false);
}

} // namespace orrery::coll
