// Names for quantities and indices, so that an interface says what it takes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace orrery {

// A dense index with a type of its own.
template <typename Tag> struct Id {
    std::uint32_t value = 0;

    constexpr auto operator<=>(const Id&) const = default;
    [[nodiscard]] constexpr std::size_t index() const { return value; }
};

using RankId = Id<struct RankTag>;
using OpId = Id<struct OpTag>; // position of an operation within its rank's program

using HostId = Id<struct HostTag>;
using LinkId = Id<struct LinkTag>;

using Bytes = std::uint64_t;

} // namespace orrery
