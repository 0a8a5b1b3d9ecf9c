// What kind of action it is and which fields it has: all that differs little from action to action.
#pragma once

#include "formats/ort/segment_layout.h"
#include "workload/action.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace orrery::recorded {

// Five bits of kind, seven of collective and flags, then a bit per field.
using ShapeKey = std::uint32_t;
inline constexpr unsigned key_mask_shift = 13;

constexpr std::uint32_t bit_of(Field field) { return std::uint32_t{1} << static_cast<unsigned>(field); }

// The values of an action's fields. Numbers of 32 bits are taken as signed ones, so that any source, any tag
// and any size are close to 0.
struct FieldValues {
    std::array<std::uint64_t, fields> value{};
    std::uint64_t& operator[](Field field) { return value[static_cast<std::size_t>(field)]; }
};

inline std::uint64_t widened(std::uint32_t value) {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
}

inline bool is_whole(double volume) {
    return volume >= 0 && volume < largest_whole && !std::signbit(volume) &&
           static_cast<double>(static_cast<std::int64_t>(volume)) == volume;
}

// Fields that an action of this kind has even if they are 0, so that a rank 0 or a tag 0 makes no other shape.
std::uint32_t usual_fields(ActionKind kind, Collective collective, bool nonblocking);

} // namespace orrery::recorded
