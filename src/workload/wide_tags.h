// Tags of 64 bits in GOAL text, as LogGOPSim's generator writes them (18446744073173680704: a negative number
// of 32 bits, printed as one of 64).
//
// An operation holds 32 bits of tag, and no more is needed: two tags match if they are equal, so each distinct
// tag from 2^31 on gets a number of 32 bits from 2^31 on, within one schedule. A tag that a writer made of 32
// bits (below 2^32, or negative) keeps its low half if that is free, which is what LogGOPSim's own reader makes
// of it; any other gets the highest number that is free. Tags below 2^31 stay as they are and cost a
// comparison.
#pragma once

#include "workload/op.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace orrery {

inline constexpr std::uint64_t first_numbered_tag = std::uint64_t{1} << 31; // and all above get numbers

// As stored in a compact schedule, little endian.
struct WideTag {
    std::uint64_t written = 0; // in the text
    std::uint32_t tag = 0;     // of operations
    std::uint32_t reserved = 0;

    bool operator==(const WideTag&) const = default;
};
static_assert(sizeof(WideTag) == 16);

// Gives tags their numbers.
class WideTags {
  public:
    // What LogGOPSim takes for -1, any tag: all 32 or all 64 bits are set.
    static constexpr bool is_wildcard(std::uint64_t written) {
        return written == any_tag || written == ~std::uint64_t{0};
    }

    // The number of a tag from first_numbered_tag on that is no wildcard; the same one each time.
    std::uint32_t number_of(std::uint64_t written);
    // Tags whose number is not themselves, since the last call.
    std::vector<WideTag> take_new();

  private:
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
    std::unordered_map<std::uint32_t, std::uint64_t> written_; // of each number that is taken
    std::uint32_t next_free_ = any_tag - 1;
    std::vector<WideTag> new_;
};

// Gives numbers their tags back.
class WrittenTags {
  public:
    void add(const WideTag& tag) { written_[tag.tag] = tag.written; }
    [[nodiscard]] bool empty() const { return written_.empty(); }
    [[nodiscard]] std::uint64_t of(std::uint32_t tag) const {
        if (tag < first_numbered_tag || written_.empty()) return tag;
        const auto found = written_.find(tag);
        return found == written_.end() ? tag : found->second;
    }

  private:
    std::unordered_map<std::uint32_t, std::uint64_t> written_;
};

} // namespace orrery
