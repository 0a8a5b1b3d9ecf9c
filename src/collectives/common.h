// Small words that the algorithms share.
#pragma once

#include "collectives/algorithms.h"
#include "collectives/blocks.h"
#include "collectives/call.h"
#include "collectives/step.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace orrery::coll {

// For Algorithm::applies.
inline bool always(const CollectiveCall& /*call*/) { return true; }
inline bool power_of_two(const CollectiveCall& call) { return std::has_single_bit(call.size); }
inline bool even_size(const CollectiveCall& call) { return call.size % 2 == 0; }
inline bool commutative(const CollectiveCall& call) { return call.commutative; }
// One element at least for each rank, or for the largest power of two of them.
inline bool enough_elements(const CollectiveCall& call) {
    return call.bytes / std::max<Bytes>(call.element, 1) >= call.size;
}
inline bool commutative_with_all(const CollectiveCall& call) {
    return call.commutative && enough_elements(call);
}
inline bool commutative_with_enough(const CollectiveCall& call) {
    return call.commutative && call.bytes / std::max<Bytes>(call.element, 1) >= std::bit_floor(call.size);
}
inline bool commutative_power_of_two(const CollectiveCall& call) {
    return call.commutative && power_of_two(call);
}

// Neighbours on the ring of all ranks.
constexpr std::uint32_t after(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
    return static_cast<std::uint32_t>((std::uint64_t{rank} + distance) % size);
}
constexpr std::uint32_t before(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
    return static_cast<std::uint32_t>((std::uint64_t{rank} + size - distance % size) % size);
}

// Ranks counted from the root, and back.
inline std::uint32_t from_root(const CollectiveCall& call) { return before(call.rank, call.root, call.size); }
inline std::uint32_t from_root(const CollectiveCall& call, std::uint32_t rank) {
    return before(rank, call.root, call.size);
}
inline std::uint32_t actual(const CollectiveCall& call, std::uint32_t relative) {
    return after(relative, call.root, call.size);
}

// Where this rank's own input lies.
inline std::uint8_t input_of(const CollectiveCall& call) {
    return call.in_place ? receive_buffer : send_buffer;
}

inline Piece part(std::uint8_t buffer, Bytes offset, Bytes bytes) { return {buffer, offset, bytes}; }
inline Piece whole(std::uint8_t buffer, const CollectiveCall& call) { return {buffer, 0, call.bytes}; }

// The bytes of a segment, in whole elements, rounded to the nearest; all if none is asked for or it holds no
// element (Open MPI, coll_base_topo.h, COLL_BASE_COMPUTED_SEGCOUNT).
inline Bytes segment_bytes(Bytes asked, Bytes element, Bytes all) {
    element = element == 0 || all % element != 0 ? 1 : element;
    if (asked < element || asked >= all) return std::max<Bytes>(all, 1);
    return (asked / element + (asked % element > element / 2 ? 1 : 0)) * element;
}

inline std::uint64_t segments(Bytes all, Bytes segment) { return all == 0 ? 1 : (all + segment - 1) / segment; }
inline Piece segment_piece(std::uint8_t buffer, std::uint64_t i, Bytes segment, Bytes all) {
    const Bytes from = std::min(all, i * segment);
    return {buffer, from, std::min(segment, all - from)};
}

} // namespace orrery::coll
