// The payload of a segment: actions of one rank as columns.
//
//   SegmentHead | flags | farthest repeat, in actions and in fields | of a timed one: the clock before its
//   first action | bytes of each column (Column, in this order) | the columns
//
// Integers are varints (7 bits a byte, low ones first), signed ones zigzag (0, -1, 1, -2 ...). docs/format.md
// gives the whole story; encoder.cpp and decoder.cpp are its two halves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery::recorded {

inline constexpr std::uint64_t flag_timed = 1;

// What an action may have besides its kind, in the order of the bits of a shape and of the columns.
enum class Field : std::uint8_t {
    comm,
    peer,
    other,
    tag,
    request,
    element,
    bytes,
    more_bytes,
    volume, // if it is a whole number below 2^53
    real,   // the bits of any other volume
    list,   // the number of its list of counts
    gap,    // timed: from the end of the action before to the beginning of this one
    duration,
};
inline constexpr std::size_t fields = 13;
inline constexpr std::size_t shape_fields = 11; // those before gap: the others depend on the segment

// The shapes, each field, then what new lists hold: their lengths and their elements.
inline constexpr std::size_t columns = 1 + fields + 2;
inline constexpr std::size_t shape_column = 0;
inline constexpr std::size_t first_field_column = 1;
inline constexpr std::size_t length_column = 1 + fields;
inline constexpr std::size_t element_column = 2 + fields;

// Codes of the shape column: 0 and the four bytes of a new shape; 2n + 1: known shape n; 2d: the next actions
// (a number follows) have the shapes of those d before them.
inline constexpr std::uint64_t code_new_shape = 0;
inline constexpr unsigned flag_nonblocking = 64; // beside the collective operation
inline constexpr unsigned flag_ordered = 128;    // not commutative

// Numbers of lists: from 1 in the order in which they came.
inline constexpr std::uint64_t list_passing = 0;       // a new one that gets no number
inline constexpr std::uint64_t list_afresh = ~0ULL;    // all are forgotten; a new one, number 1
inline constexpr std::uint32_t most_lists = 4096;      // that have a number
inline constexpr std::uint32_t most_elements = 32'768; // of all of them

inline constexpr std::uint32_t most_shapes = 128;           // that have a number
inline constexpr std::uint32_t most_distance = 4096;        // of a repeat, in actions
inline constexpr std::uint32_t most_field_reach = 32'768;   // and in fields
inline constexpr double largest_whole = 9007199254740992.0; // 2^53

// One field of an earlier action, and what it says of the next of its kind: the value, and how far it was from
// the one that it was itself compared with. If it came as far twice in a row, it is expected to do so again.
struct Slot {
    std::uint64_t value = 0;
    std::int32_t step = 0; // 0 if it does not fit
    bool steady = false;

    [[nodiscard]] std::uint64_t expected() const {
        return steady ? value + static_cast<std::uint64_t>(std::int64_t{step}) : value;
    }
    // Of the next one of its kind.
    [[nodiscard]] Slot then(std::uint64_t next) const {
        const auto far = static_cast<std::int64_t>(next - value);
        const auto fits = static_cast<std::int32_t>(far);
        if (fits != far) return {next, 0, false};
        return {next, fits, fits == step};
    }
};
static_assert(sizeof(Slot) == 16);

} // namespace orrery::recorded
