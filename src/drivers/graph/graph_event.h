// What the graph driver has in its event queue, and the order of ties.
//
// Of what is due at one instant at one rank, what was drawn first goes first: an operation is drawn when it
// becomes ready, a message when it is sent. Of what was drawn at one instant, first the rank's own operations,
// in the order in which it drew them, then messages, by their source and in the order in which that drew them.
// So the order at a rank depends on that rank and on what is sent to it, not on when others were looked at
// (docs/loggops.md, "The order of ties"). LogGOPSim's order, of all draws of a run, is had by one that is
// numbered through: then the number takes the place of the instant.
#pragma once

#include "engine/time.h"

#include <cstdint>

namespace orrery {

// The place of an event or of a waiting operation among those that are due at one rank.
struct Turn {
    std::uint64_t drawn = 0;  // the instant in ticks (or, numbered through, the number), and below it its kind
    std::uint32_t source = 0; // 0: the rank itself; 1 + source of a message
    std::uint32_t number = 0; // of all that were drawn, but for the part that 32 bits cannot hold

    static constexpr unsigned kind_bits = 3;

    [[nodiscard]] bool before(const Turn& other) const {
        const std::uint64_t since = drawn >> kind_bits;
        const std::uint64_t others = other.drawn >> kind_bits;
        if (since != others) return since < others;
        if (source != other.source) return source < other.source;
        return static_cast<std::int32_t>(number - other.number) < 0;
    }
    // Whoever of a rank drew it, and whatever its kind.
    [[nodiscard]] bool same(const Turn& other) const {
        return number == other.number && source == other.source &&
               drawn >> kind_bits == other.drawn >> kind_bits;
    }
};

struct GraphEvent {
    Time time;
    std::uint64_t drawn = 0; // as those of its Turn
    std::uint32_t rank = 0;  // whose event it is
    std::uint32_t ref = 0;   // its operation or message
    std::uint32_t source = 0;
    std::uint32_t number = 0;

    [[nodiscard]] Turn turn() const { return {drawn, source, number}; }
    [[nodiscard]] std::uint32_t owner() const { return rank; }
    [[nodiscard]] bool before(const GraphEvent& other) const {
        if (time != other.time) return time < other.time;
        const std::uint64_t since = drawn >> Turn::kind_bits;
        const std::uint64_t others = other.drawn >> Turn::kind_bits;
        if (since != others) return since < others;
        if ((source == 0) != (other.source == 0)) return source == 0;
        if (rank != other.rank) return rank < other.rank;
        if (source != other.source) return source < other.source;
        return static_cast<std::int32_t>(number - other.number) < 0;
    }
};
static_assert(sizeof(GraphEvent) == 32);

struct GraphWaiter {
    Turn turn;
    std::uint32_t ref = 0;

    [[nodiscard]] bool before(const GraphWaiter& other) const { return turn.before(other.turn); }
};

} // namespace orrery
