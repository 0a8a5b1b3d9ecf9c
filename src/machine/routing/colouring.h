// Choosing one of several paths for each pair of hosts, so that the fewest meet on a channel.
//
// The optimiser knows no topology: a pair has numbered choices, and a choice is a list of channels. It begins
// with the best of some given starts, then moves single pairs, all pairs of a sender and all pairs of a
// receiver to their best choices until nothing gets better; then it upsets the pairs on the worst channels and
// does so again, a given number of times, unless the bound is reached. The same seed gives the same answer.
#pragma once

#include "engine/ids.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

struct ColourPair {
    HostId from;
    HostId to;
    std::vector<std::uint32_t> phases; // in which it is used; ascending
};

class ColourChoices {
  public:
    virtual ~ColourChoices() = default;
    [[nodiscard]] virtual std::uint32_t count(const ColourPair& pair) const = 0;
    // Appends the channels of a choice, none twice.
    virtual void channels(const ColourPair& pair, std::uint32_t choice, std::vector<LinkId>& out) const = 0;
};

struct ColourTask {
    std::span<const ColourPair> pairs;
    std::uint32_t channels = 0; // their number
    std::uint32_t phases = 1;
    std::uint32_t bound = 1; // the least contention that is possible at all
    std::uint64_t seed = 1;
    std::uint32_t rounds = 8; // how often it starts over from an upset
};

struct Colouring {
    std::vector<std::uint32_t> choice; // by pair
    std::uint32_t contention = 0;      // of the worst channel
    std::uint64_t cost = 0;
    [[nodiscard]] bool better_than(const Colouring& other) const {
        return contention != other.contention ? contention < other.contention : cost < other.cost;
    }
};

// The contention of a given choice for each pair.
Colouring judge(const ColourTask& task, const ColourChoices& choices, std::vector<std::uint32_t> choice);
// At least as good as each of the starts, of which there is at least one.
Colouring colour(const ColourTask& task, const ColourChoices& choices,
                 std::span<const std::vector<std::uint32_t>> starts);

} // namespace orrery
