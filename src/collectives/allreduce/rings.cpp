// Allreduces round a ring: each block is reduced on its way once round, then the results go round once more.
#include "collectives/allreduce/allreduce.h"
#include "collectives/common.h"
#include "collectives/phases.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t ring_rooms[2] = {first_temporary, first_temporary + 1};

// Open MPI, coll_base_allreduce.c, ring and ring_segmented: in each phase one segment of every block goes
// round. The next receive is posted before the last is waited for.
Steps ring(CollectiveCall call, std::uint32_t phases) {
    const Blocks blocks = Blocks::even(call.bytes, call.size, call.element);
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(receive_buffer, call));
    if (call.size == 1) co_return;
    const std::uint32_t right = after(call.rank, 1, call.size);
    const std::uint32_t left = before(call.rank, 1, call.size);
    const auto segment = [&](std::uint32_t block, std::uint32_t phase) {
        const Blocks cut = Blocks::even(blocks.bytes(block), phases, call.element);
        return part(receive_buffer, blocks.offset(block) + cut.offset(phase), cut.bytes(phase));
    };
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
        const auto incoming = [&](std::uint32_t i) { return segment(before(call.rank, i, call.size), phase); };
        co_yield irecv(left, part(ring_rooms[0], 0, incoming(1).bytes), 0);
        co_yield send(right, segment(call.rank, phase));
        for (std::uint32_t i = 2; i <= call.size; ++i) {
            const std::uint32_t filled = i % 2; // the room of block i - 1
            if (i < call.size)
                co_yield irecv(left, part(ring_rooms[1 - filled], 0, incoming(i).bytes), 1 - filled);
            co_yield wait(filled);
            const Piece mine = incoming(i - 1);
            co_yield reduce(part(ring_rooms[filled], 0, mine.bytes), mine);
            if (i < call.size) co_yield send(right, mine);
        }
    }
    // The block that is done here is that of the next rank.
    const Party party{after(call.rank, 1, call.size), call.size, call.size - 1};
    for (Steps all = allgather_ring(party, blocks, receive_buffer); const Step* step = all.next();)
        co_yield *step;
}

} // namespace

Steps allreduce_ring(CollectiveCall call, CollectiveTuning tuning) {
    if (count_of(call) < call.size || !call.commutative) return allreduce_recursive_doubling(call, tuning);
    return ring(call, 1);
}

namespace {

// How many phases the segmented ring takes; 0: too little data for it.
std::uint32_t phases_of(const CollectiveCall& call, Bytes segment) {
    const Bytes element = std::max<Bytes>(call.element, 1);
    const Bytes count = call.bytes / element;
    const Bytes each = segment_bytes(segment, element, call.bytes) / element;
    const Bytes round = each * call.size;
    if (round == 0 || count < round) return 0;
    const Bytes rest = count % round;
    return static_cast<std::uint32_t>(count / round + (rest >= call.size && rest > round / 2 ? 1 : 0));
}

constexpr Bytes usual_ring_segment = 1 << 20; // coll_tuned_decision_fixed.c of Open MPI 4.1, and SimGrid

} // namespace

Steps allreduce_ring_segmented(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint32_t phases = phases_of(call, tuning.segment == 0 ? usual_ring_segment : tuning.segment);
    if (phases == 0 || !call.commutative || call.size == 1) return allreduce_ring(call, tuning);
    return ring(call, phases);
}

// As in SimGrid, whose ring for less data is the next one.
Steps allreduce_ring_segmented_or_logical(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint32_t phases = phases_of(call, tuning.segment == 0 ? usual_ring_segment : tuning.segment);
    if (phases == 0 || !call.commutative || call.size == 1) return allreduce_logical_ring(call, tuning);
    return ring(call, phases);
}

namespace {

// Exchanges round the ring, in which the block that ends here is this rank's own.
Steps exchange_ring(CollectiveCall call, Blocks blocks) {
    const std::uint32_t right = after(call.rank, 1, call.size);
    const std::uint32_t left = before(call.rank, 1, call.size);
    for (std::uint32_t i = 1; i < call.size; ++i) {
        const std::uint32_t incoming = before(call.rank, i + 1, call.size);
        const Piece arrived = part(ring_rooms[0], 0, blocks.bytes(incoming));
        co_yield sendrecv(right, blocks.piece(receive_buffer, before(call.rank, i, call.size)), left, arrived);
        co_yield reduce(arrived, blocks.piece(receive_buffer, incoming));
    }
    for (Steps all = allgather_ring(everybody(call), blocks, receive_buffer); const Step* step = all.next();) {
        co_yield *step;
    }
}

} // namespace

// SimGrid, the part among the leaders of allreduce-smp-rsag-lr.cpp: the last block has what remains.
Steps allreduce_exchange_ring(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative) {
        for (Steps all = allreduce_recursive_doubling(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(receive_buffer, call));
    for (Steps all = exchange_ring(call, Blocks::last_longer(call.bytes, call.size, call.element));
         const Step* step = all.next();) {
        co_yield *step;
    }
}

// SimGrid, allreduce-lr.cpp (Patarasuk, Yuan 2009): exchanges round the ring; what does not divide by the
// number of ranks is reduced and broadcast afterwards.
Steps allreduce_logical_ring(CollectiveCall call, CollectiveTuning tuning) {
    const Bytes element = call.element == 0 || call.bytes % call.element != 0 ? 1 : call.element;
    if (call.bytes / element < call.size || !call.commutative || call.size == 1) {
        for (Steps all = allreduce_reduce_bcast(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Blocks blocks = Blocks::equal(call.bytes / element / call.size * element);
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(receive_buffer, call));
    for (Steps all = exchange_ring(call, blocks); const Step* step = all.next();) co_yield *step;
    const Bytes done = blocks.offset(call.size);
    if (done == call.bytes) co_return;
    // The rest, as allreduce_reduce_bcast would, at its place in the buffers.
    CollectiveCall rest = call;
    rest.bytes = call.bytes - done;
    for (Steps all = allreduce_reduce_bcast(rest, tuning); const Step* step = all.next();) {
        Step moved = *step;
        if (moved.from.buffer < first_temporary) moved.from.offset += done;
        if (moved.to.buffer < first_temporary) moved.to.offset += done;
        co_yield moved;
    }
}

} // namespace orrery::coll
