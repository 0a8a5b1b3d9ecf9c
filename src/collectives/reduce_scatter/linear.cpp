// Reduce-scatters by a reduction and a scatter, by direct exchange, and round a ring.
#include "collectives/common.h"
#include "collectives/gather/gather.h"
#include "collectives/reduce/reduce.h"
#include "collectives/reduce_scatter/reduce_scatter.h"
#include "collectives/selectors.h"

namespace orrery::coll {

Blocks scattered_blocks(const CollectiveCall& call) {
    return call.operation == Collective::reduce_scatter ? Blocks::listed(call.receive_counts)
                                                        : Blocks::equal(call.bytes);
}

namespace {

constexpr std::uint8_t block_rooms[2] = {first_temporary, first_temporary + 1};
constexpr std::uint8_t linear_work = first_temporary + 2;
constexpr std::uint8_t reduced_buffer = first_temporary + 8; // behind those that the reductions use

// To rank 0, and from there to all. The reduction's result and the scatter's source are `reduced_buffer`.
Steps reduce_then_scatter(CollectiveCall call, CollectiveTuning tuning,
                          Steps (*up)(CollectiveCall, CollectiveTuning),
                          Steps (*down)(CollectiveCall, CollectiveTuning)) {
    const Blocks blocks = scattered_blocks(call);
    CollectiveCall reduction = call;
    reduction.operation = Collective::reduce;
    reduction.root = 0;
    reduction.bytes = blocks.offset(call.size);
    reduction.in_place = false;
    for (Steps half = up(reduction, tuning); const Step* step = half.next();) {
        Step moved = *step;
        if (moved.from.buffer == send_buffer)
            moved.from.buffer = input_of(call);
        else if (moved.from.buffer == receive_buffer)
            moved.from.buffer = reduced_buffer;
        if (moved.to.buffer == receive_buffer) moved.to.buffer = reduced_buffer;
        co_yield moved;
    }
    CollectiveCall scatter = call;
    scatter.operation =
        call.operation == Collective::reduce_scatter ? Collective::scatterv : Collective::scatter;
    scatter.root = 0;
    scatter.bytes = blocks.bytes(call.rank);
    scatter.send_counts = call.receive_counts;
    scatter.in_place = false;
    for (Steps half = down(scatter, tuning); const Step* step = half.next();) {
        Step moved = *step;
        if (moved.from.buffer == send_buffer) moved.from.buffer = reduced_buffer;
        co_yield moved;
    }
}

} // namespace

// Open MPI, coll_base_reduce_scatter.c, nonoverlapping, and coll_base_reduce_scatter_block.c, basic_linear;
// here with a binomial reduction where Open MPI asks its selection.
Steps reduce_scatter_nonoverlapping(CollectiveCall call, CollectiveTuning tuning) {
    const auto selected = [](CollectiveCall part, CollectiveTuning /*tuning*/) {
        return select_openmpi(part).run(part);
    };
    return reduce_then_scatter(call, tuning, selected, scatter_linear_blocking);
}

// SimGrid's default: its default reduction, then its scatterv.
Steps reduce_scatter_linear_scatter(CollectiveCall call, CollectiveTuning tuning) {
    return reduce_then_scatter(call, tuning, call.commutative ? reduce_linear_nonblocking : reduce_linear,
                               scatter_linear);
}

// SimGrid's ireduce_scatter: everybody gets its block from everybody at once.
Steps reduce_scatter_exchange_all(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks blocks = scattered_blocks(call);
    const std::uint8_t from = input_of(call);
    const Bytes mine = blocks.bytes(call.rank);
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.rank) continue;
        co_yield isend(peer, blocks.piece(from, peer), 2 * peer);
        co_yield irecv(peer, part(block_rooms[0], peer * mine, mine), 2 * peer + 1);
    }
    co_yield wait_all();
    const Piece total = part(linear_work, 0, mine);
    co_yield copy(blocks.piece(from, call.rank), total);
    for (std::uint32_t peer = call.rank; peer-- > 0;)
        co_yield reduce(part(block_rooms[0], peer * mine, mine), total);
    for (std::uint32_t peer = call.rank + 1; peer < call.size; ++peer) {
        co_yield reduce_after(part(block_rooms[0], peer * mine, mine), total);
    }
    co_yield copy(total, part(receive_buffer, 0, mine));
}

// MPICH, reduce_scatter_intra_pairwise.c: in step i the block of the rank i further on goes there. Commutative:
// what comes from the ranks before is taken before what comes from those behind wraps round.
Steps reduce_scatter_pairwise(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = reduce_scatter_recursive_doubling(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Blocks blocks = scattered_blocks(call);
    const std::uint8_t from = input_of(call);
    const Bytes mine = blocks.bytes(call.rank);
    const Piece total = part(linear_work, 0, mine);
    co_yield copy(blocks.piece(from, call.rank), total);
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t target = after(call.rank, i, call.size);
        co_yield sendrecv(target, blocks.piece(from, target), before(call.rank, i, call.size),
                          part(block_rooms[0], 0, mine));
        co_yield reduce(part(block_rooms[0], 0, mine), total);
    }
    co_yield copy(total, part(receive_buffer, 0, mine));
}

// Open MPI, coll_base_reduce_scatter.c, ring: the block that is due here in the end begins with the next rank.
Steps reduce_scatter_ring(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = reduce_scatter_nonoverlapping(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Blocks blocks = scattered_blocks(call);
    const std::uint32_t right = after(call.rank, 1, call.size);
    const std::uint32_t left = before(call.rank, 1, call.size);
    co_yield copy(blocks.piece(input_of(call), 0, call.size), blocks.piece(linear_work, 0, call.size));
    if (call.size > 1) {
        const auto block = [&](std::uint32_t i) { return before(call.rank, i, call.size); };
        co_yield irecv(left, part(block_rooms[0], 0, blocks.bytes(block(2))), 0);
        co_yield send(right, blocks.piece(linear_work, block(1)));
        for (std::uint32_t i = 2; i <= call.size; ++i) {
            const std::uint32_t filled = i % 2;
            if (i < call.size) {
                co_yield irecv(left, part(block_rooms[1 - filled], 0, blocks.bytes(block(i + 1))), 1 - filled);
            }
            co_yield wait(filled);
            co_yield reduce(part(block_rooms[filled], 0, blocks.bytes(block(i))),
                            blocks.piece(linear_work, block(i)));
            if (i < call.size) co_yield send(right, blocks.piece(linear_work, block(i)));
        }
    }
    co_yield copy(blocks.piece(linear_work, call.rank), part(receive_buffer, 0, blocks.bytes(call.rank)));
}

} // namespace orrery::coll
