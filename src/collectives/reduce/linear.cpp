// Reductions in which every rank sends to the root, and pipelines along a chain with all receives posted.
#include "collectives/common.h"
#include "collectives/reduce/reduce.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t linear_room = first_temporary;
constexpr std::uint8_t linear_sum = first_temporary + 1;

} // namespace

// Open MPI, coll_base_reduce.c, basic_linear: the root takes the ranks one after the other, the last first, so
// that the order of the operands is kept.
Steps reduce_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Piece own = whole(input_of(call), call);
    if (call.rank != call.root) {
        co_yield send(call.root, own);
        co_return;
    }
    const Piece total = whole(call.in_place ? linear_sum : receive_buffer, call);
    for (std::uint32_t peer = call.size; peer-- > 0;) {
        const bool first = peer + 1 == call.size;
        if (peer == call.rank) {
            co_yield first ? copy(own, total) : reduce(own, total);
        } else if (first) {
            co_yield recv(peer, total);
        } else {
            co_yield recv(peer, whole(linear_room, call));
            co_yield reduce(whole(linear_room, call), total);
        }
    }
    if (call.in_place) co_yield copy(total, whole(receive_buffer, call));
}

// SimGrid's default (smpi_nbc_impl.cpp, ireduce): all receives at once, a buffer for each.
Steps reduce_linear_nonblocking(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.rank != call.root) {
        co_yield isend(call.root, whole(input_of(call), call), 0);
        co_yield wait(0);
        co_return;
    }
    const Blocks rooms = Blocks::equal(call.bytes);
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) co_yield irecv(peer, rooms.piece(linear_room, peer), peer);
    }
    co_yield wait_all();
    const Piece total = whole(receive_buffer, call);
    if (!call.in_place) co_yield copy(whole(send_buffer, call), total);
    for (std::uint32_t peer = call.rank; peer-- > 0;) co_yield reduce(rooms.piece(linear_room, peer), total);
    for (std::uint32_t peer = call.rank + 1; peer < call.size; ++peer) {
        co_yield reduce_after(rooms.piece(linear_room, peer), total);
    }
}

// SimGrid, reduce-NTSL.cpp (from STAR-MPI): segments of 8 KiB from the rank before the root, down the ring, all
// receives posted at the start; what remains behind the last whole segment goes linearly.
Steps reduce_pipeline_posted(CollectiveCall call, CollectiveTuning tuning) {
    if (!call.commutative || call.size == 1) {
        for (Steps all = reduce_linear(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Bytes element = std::max<Bytes>(call.element, 1);
    const Bytes segment = std::max<Bytes>((tuning.segment == 0 ? 8192 : tuning.segment) / element, 1) * element;
    const bool is_root = call.rank == call.root;
    const bool is_first = from_root(call) + 1 == call.size; // has nobody to receive from
    const std::uint32_t to = before(call.rank, 1, call.size);
    const std::uint32_t from = after(call.rank, 1, call.size);
    const std::uint8_t total = is_root ? receive_buffer : linear_sum;
    if (!(is_root && call.in_place)) co_yield copy(whole(input_of(call), call), whole(total, call));
    if (call.bytes <= segment) {
        if (!is_first) {
            co_yield recv(from, whole(linear_room, call));
            co_yield reduce(whole(linear_room, call), whole(total, call));
        }
        if (!is_root) co_yield send(to, whole(total, call));
        co_return;
    }
    const auto count = static_cast<std::uint32_t>(call.bytes / segment);
    if (!is_first) {
        for (std::uint32_t i = 0; i < count; ++i)
            co_yield irecv(from, part(linear_room, i * segment, segment), i);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!is_first) {
            co_yield wait(i);
            co_yield reduce(part(linear_room, i * segment, segment), part(total, i * segment, segment));
        }
        if (!is_root) co_yield isend(to, part(total, i * segment, segment), count + i);
    }
    co_yield wait_all();
    const Bytes done = count * segment;
    const Bytes rest = call.bytes - done;
    if (rest == 0) co_return;
    if (!is_root) {
        co_yield isend(call.root, part(input_of(call), done, rest), 0);
        co_yield wait(0);
        co_return;
    }
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) co_yield irecv(peer, part(linear_room, peer * rest, rest), peer);
    }
    co_yield wait_all();
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer != call.rank) co_yield reduce(part(linear_room, peer * rest, rest), part(total, done, rest));
    }
}

} // namespace orrery::coll
