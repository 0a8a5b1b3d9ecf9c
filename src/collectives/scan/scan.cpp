#include "collectives/scan/scan.h"

#include "collectives/common.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t scan_room = first_temporary;
constexpr std::uint8_t partial = first_temporary + 1;

bool exclusive(const CollectiveCall& call) { return call.operation == Collective::exscan; }

} // namespace

// Open MPI, coll_base_scan.c and coll_base_exscan.c, linear: down the chain of ranks.
Steps scan_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Piece result = whole(receive_buffer, call);
    const Piece own = whole(partial, call); // becomes the sum with what came before
    const bool last = call.rank + 1 == call.size;
    co_yield copy(whole(input_of(call), call), own);
    if (call.rank > 0) {
        co_yield recv(call.rank - 1, whole(scan_room, call));
        co_yield reduce(whole(scan_room, call), own);
        if (exclusive(call)) co_yield copy(whole(scan_room, call), result);
    }
    if (!exclusive(call)) co_yield copy(own, result);
    if (!last) co_yield send(call.rank + 1, own);
}

// SimGrid (smpi_coll.cpp, scan): everybody sends to all ranks behind it, at once.
Steps scan_to_all_higher(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Blocks rooms = Blocks::equal(call.bytes);
    const Piece own = whole(input_of(call), call);
    for (std::uint32_t peer = 0; peer < call.rank; ++peer)
        co_yield irecv(peer, rooms.piece(scan_room, peer), peer);
    for (std::uint32_t peer = call.rank + 1; peer < call.size; ++peer) co_yield isend(peer, own, peer);
    co_yield wait_all();
    const Piece total = whole(receive_buffer, call);
    std::uint32_t next = call.rank;
    if (!exclusive(call)) {
        if (!call.in_place) co_yield copy(own, total);
    } else if (next > 0) {
        --next;
        co_yield copy(rooms.piece(scan_room, next), total);
    }
    while (next-- > 0) co_yield reduce(rooms.piece(scan_room, next), total);
}

// MPICH, scan_intra_recursive_doubling.c and exscan_intra_recursive_doubling.c; Open MPI's are the same.
Steps scan_recursive_doubling(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Piece total = whole(partial, call); // of the group of ranks met so far
    const Piece incoming = whole(scan_room, call);
    const Piece result = whole(receive_buffer, call);
    co_yield copy(whole(input_of(call), call), total);
    bool has_result = !exclusive(call);
    if (has_result && !call.in_place) co_yield copy(whole(send_buffer, call), result);
    for (std::uint32_t mask = 1; mask < call.size; mask *= 2) {
        const std::uint32_t peer = call.rank ^ mask;
        if (peer >= call.size) continue;
        co_yield sendrecv(peer, total, peer, incoming);
        if (peer > call.rank) {
            co_yield reduce_after(incoming, total);
            continue;
        }
        co_yield reduce(incoming, total);
        co_yield has_result ? reduce(incoming, result) : copy(incoming, result);
        has_result = true;
    }
}

// Hillis and Steele 1986: round k brings the partial result of the 2^k ranks up to rank - 2^k.
Steps scan_hillis_steele(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Piece total = whole(partial, call); // of the ranks met so far, this one being the last
    const Piece incoming = whole(scan_room, call);
    const Piece result = whole(receive_buffer, call);
    co_yield copy(whole(input_of(call), call), total);
    for (std::uint64_t distance = 1; distance < call.size; distance *= 2) {
        const auto step = static_cast<std::uint32_t>(distance);
        const bool gives = call.rank + distance < call.size;
        const bool takes = call.rank >= distance;
        if (gives && takes) {
            co_yield sendrecv(call.rank + step, total, call.rank - step, incoming);
        } else if (gives) {
            co_yield send(call.rank + step, total);
        } else if (takes) {
            co_yield recv(call.rank - step, incoming);
        }
        if (!takes) continue;
        co_yield reduce(incoming, total);
        if (exclusive(call)) co_yield distance == 1 ? copy(incoming, result) : reduce(incoming, result);
    }
    if (!exclusive(call)) co_yield copy(total, result);
}

} // namespace orrery::coll
