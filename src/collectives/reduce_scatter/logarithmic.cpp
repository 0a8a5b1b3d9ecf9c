// Reduce-scatters in log p steps.
#include "collectives/common.h"
#include "collectives/halving.h"
#include "collectives/reduce_scatter/reduce_scatter.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t scatter_room = first_temporary;
constexpr std::uint8_t scatter_work = first_temporary + 1;
constexpr std::uint8_t scatter_packed = first_temporary + 2;

} // namespace

// Open MPI, coll_base_reduce_scatter.c, basic_recursivehalving; MPICH,
// reduce_scatter_intra_recursive_halving.c. Operations that do not commute: recursive doubling, as MPICH.
Steps reduce_scatter_recursive_halving(CollectiveCall call, CollectiveTuning tuning) {
    const Blocks blocks = scattered_blocks(call);
    const Piece all = blocks.piece(scatter_work, 0, call.size);
    if (!call.commutative) {
        for (Steps other = reduce_scatter_recursive_doubling(call, tuning); const Step* step = other.next();) {
            co_yield *step;
        }
        co_return;
    }
    if (all.bytes == 0) co_return;
    const Folded fold(call.rank, call.size, Folded::Stays::odd);
    const Piece mine = part(receive_buffer, 0, blocks.bytes(call.rank));
    co_yield copy(blocks.piece(input_of(call), 0, call.size), all);
    if (fold.paired()) {
        if (!fold.inside()) {
            co_yield send(fold.partner(), all);
            if (mine.bytes > 0) co_yield recv(fold.partner(), mine);
            co_return;
        }
        co_yield recv(fold.partner(), blocks.piece(scatter_room, 0, call.size));
        co_yield reduce(blocks.piece(scatter_room, 0, call.size), all);
    }
    for (Steps down = reduce_scatter_halving(Halving::of_pairs(fold, blocks, Halving::Bits::high_first),
                                             scatter_work, scatter_room, ExchangeBy::irecv_send);
         const Step* step = down.next();) {
        co_yield *step;
    }
    if (mine.bytes > 0) co_yield copy(blocks.piece(scatter_work, call.rank), mine);
    if (fold.paired() && blocks.bytes(fold.partner()) > 0) {
        co_yield send(fold.partner(), blocks.piece(scatter_work, fold.partner()));
    }
}

// MPICH, reduce_scatter_intra_recursive_doubling.c: groups of doubling size exchange all blocks but those that
// their own members have done with. If a group is short of partners, it is served as in the allgather
// (phases.h).
Steps reduce_scatter_recursive_doubling(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = scattered_blocks(call);
    const Bytes total = blocks.offset(call.size);
    co_yield copy(blocks.piece(input_of(call), 0, call.size), blocks.piece(scatter_work, 0, call.size));
    for (std::uint32_t mask = 1; mask < call.size; mask *= 2) {
        const std::uint32_t mine = call.rank & ~(mask - 1);
        const std::uint32_t theirs = mine ^ mask;
        if (theirs >= call.size) continue;
        const std::uint32_t their_count = std::min(mask, call.size - theirs);
        // Everything but the blocks of the group [first, first + count), which the receiver needs no more of:
        // in two pieces, packed one behind the other.
        const Bytes my_from = blocks.offset(mine);
        const Bytes my_to = blocks.offset(std::min(mine + mask, call.size));
        const Bytes their_from = blocks.offset(theirs);
        const Bytes their_to = blocks.offset(theirs + their_count);
        const Bytes sent = total - (my_to - my_from);
        const Bytes received = total - (their_to - their_from);
        const std::uint32_t partner = call.rank ^ mask;
        bool has = false;
        if (partner < call.size) {
            co_yield copy(part(scatter_work, 0, my_from), part(scatter_packed, 0, my_from));
            co_yield copy(part(scatter_work, my_to, total - my_to),
                          part(scatter_packed, my_from, total - my_to));
            co_yield sendrecv(partner, part(scatter_packed, 0, sent), partner, part(scatter_room, 0, received));
            has = true;
        }
        for (std::uint32_t half = mask / 2; half > 0 && their_count < mask; half /= 2) {
            const std::uint32_t other = call.rank ^ half;
            const std::uint32_t served = (call.rank & ~(2 * half - 1)) + their_count;
            if (other > call.rank && call.rank < served && other >= served) {
                co_yield send(other, part(scatter_room, 0, received));
            } else if (other < call.rank && other < served && call.rank >= served) {
                co_yield recv(other, part(scatter_room, 0, received));
                has = true;
            }
        }
        if (!has) continue;
        const Piece in[2] = {part(scatter_room, 0, their_from),
                             part(scatter_room, their_from, total - their_to)};
        const Piece to[2] = {part(scatter_work, 0, their_from), part(scatter_work, their_to, total - their_to)};
        for (int i = 0; i < 2; ++i) {
            if (in[i].bytes == 0) continue;
            co_yield theirs < mine ? reduce(in[i], to[i]) : reduce_after(in[i], to[i]);
        }
    }
    co_yield copy(blocks.piece(scatter_work, call.rank), part(receive_buffer, 0, blocks.bytes(call.rank)));
}

namespace {

std::uint32_t mirrored(std::uint32_t number, std::uint32_t inner) { // the bits of a number, turned round
    std::uint32_t turned = 0;
    for (std::uint32_t bit = 1; bit < inner; bit *= 2) turned = 2 * turned + ((number & bit) != 0 ? 1 : 0);
    return turned;
}

} // namespace

// Open MPI, coll_base_reduce_scatter.c, butterfly (Träff 2005): halving by the low bits first keeps the order
// of the operands; the blocks end up at bit-reversed places and are swapped home.
Steps reduce_scatter_butterfly(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = scattered_blocks(call);
    const Piece all = blocks.piece(scatter_work, 0, call.size);
    const Piece mine = part(receive_buffer, 0, blocks.bytes(call.rank));
    if (call.size == 1) {
        if (!call.in_place) co_yield copy(blocks.piece(send_buffer, 0), mine);
        co_return;
    }
    const Folded fold(call.rank, call.size, Folded::Stays::odd);
    co_yield copy(blocks.piece(input_of(call), 0, call.size), all);
    if (!fold.inside()) {
        co_yield send(fold.partner(), all);
        co_yield recv(fold.actual(mirrored(fold.number(), fold.inner())), mine);
        co_return;
    }
    if (fold.paired()) {
        co_yield recv(fold.partner(), blocks.piece(scatter_room, 0, call.size));
        co_yield reduce(blocks.piece(scatter_room, 0, call.size), all);
    }
    const Halving halving = Halving::of_pairs(fold, blocks, Halving::Bits::low_first);
    for (Steps down = reduce_scatter_halving(halving, scatter_work, scatter_room, ExchangeBy::sendrecv);
         const Step* step = down.next();) {
        co_yield *step;
    }
    const std::uint32_t home = mirrored(fold.number(), fold.inner()); // whose block has been reduced here
    const std::uint32_t peer = fold.actual(home);
    if (fold.paired(peer)) co_yield send(peer - 1, blocks.piece(scatter_work, peer - 1));
    if (peer != call.rank) {
        co_yield sendrecv(peer, blocks.piece(scatter_work, peer), peer, mine);
    } else {
        co_yield copy(blocks.piece(scatter_work, call.rank), mine);
    }
}

bool equal_power_of_two(const CollectiveCall& call) {
    if (!power_of_two(call)) return false;
    if (call.operation == Collective::reduce_scatter_block) return true;
    return std::adjacent_find(call.receive_counts.begin(), call.receive_counts.end(), std::not_equal_to<>()) ==
           call.receive_counts.end();
}

// MPICH, reduce_scatter_intra_noncommutative.c: the blocks are put to bit-reversed places first, so that
// halving by the low bits leaves each at home. Only for equal blocks on a power of two; otherwise recursive
// doubling.
Steps reduce_scatter_noncommutative(CollectiveCall call, CollectiveTuning tuning) {
    if (!equal_power_of_two(call)) {
        for (Steps other = reduce_scatter_recursive_doubling(call, tuning); const Step* step = other.next();) {
            co_yield *step;
        }
        co_return;
    }
    const Blocks blocks = Blocks::equal(scattered_blocks(call).bytes(0));
    const Folded fold(call.rank, call.size, Folded::Stays::even);
    for (std::uint32_t i = 0; i < call.size; ++i) {
        co_yield copy(blocks.piece(input_of(call), i), blocks.piece(scatter_work, mirrored(i, call.size)));
    }
    const Halving halving = Halving::of_blocks(fold, blocks, Halving::Bits::low_first);
    for (Steps down = reduce_scatter_halving(halving, scatter_work, scatter_room, ExchangeBy::sendrecv);
         const Step* step = down.next();) {
        co_yield *step;
    }
    co_yield copy(halving.window(scatter_work, call.rank, halving.levels()),
                  part(receive_buffer, 0, blocks.bytes(0)));
}

} // namespace orrery::coll
