// How much later each rank begins than it should: real ranks never start together.
//
// The delay of a rank is a function of the seed and the rank only, so that a run can be repeated and a rank
// keeps its delay when others come or go.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

class StartSkew {
  public:
    StartSkew() = default; // all begin together
    // "uniform:10us" (from 0 to below 10 us), "exponential:10us" (a mean of 10 us) or empty (none). Throws
    // UsageError with what was expected.
    static StartSkew parse(std::string_view text, std::uint64_t seed);

    bool operator==(const StartSkew&) const = default;
    [[nodiscard]] bool any() const { return kind_ != Kind::none; }
    [[nodiscard]] Time of(RankId rank) const;
    // In a few words, for the summary; empty if there is none.
    [[nodiscard]] std::string describe() const;

  private:
    enum class Kind : std::uint8_t { none, uniform, exponential };
    Kind kind_ = Kind::none;
    Time scale_;
    std::uint64_t seed_ = 0;
};

} // namespace orrery
