// Collective operations as point-to-point algorithms: which there are, what they are called, how one is chosen.
//
// No algorithm charges time for combining operands: in a trace that time is not known apart from the waiting.
#pragma once

#include "collectives/call.h"
#include "engine/ids.h"
#include "workload/collectives/fragment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

// What one member knows of the call.
struct FragmentCall {
    std::uint32_t root = 0;
    Bytes bytes = 0; // of one message buffer, or of one block where a block goes to or comes from each member
    // Blocks of different sizes, empty if all are `bytes`. Member i has blocks[i % blocks.size()]:
    std::span<const Bytes> blocks; // gatherv, scatterv, allgatherv, reduce_scatter: the block of each member;
                                   // alltoallv: what this member sends to each
    std::span<const Bytes> in_blocks; // alltoallv: what this member gets from each

    [[nodiscard]] Bytes block(std::uint32_t member) const {
        return blocks.empty() ? bytes : blocks[member % blocks.size()];
    }
    [[nodiscard]] Bytes in_block(std::uint32_t member) const {
        return in_blocks.empty() ? bytes : in_blocks[member % in_blocks.size()];
    }
};

using CollectiveAlgorithm = void (*)(Fragment&, const FragmentCall&);

// One row per algorithm of each collective; the first of a collective is its default. The manual, help and
// checks come from this table.
struct CollectiveRow {
    Collective collective;
    std::string_view name;
    std::string_view meaning;
    CollectiveAlgorithm append;
};
std::span<const CollectiveRow> collective_algorithms();

// Which algorithm stands for which collective.
class CollectiveChoice {
  public:
    CollectiveChoice(); // the defaults
    // "bcast=binary". Throws UsageError that lists what there is, with the nearest name for a misspelt one.
    void set(std::string_view assignment);
    void append(Collective collective, Fragment& fragment, const FragmentCall& call) const {
        rows_[static_cast<std::size_t>(collective)]->append(fragment, call);
    }
    [[nodiscard]] std::string_view name(Collective collective) const {
        return rows_[static_cast<std::size_t>(collective)]->name;
    }

  private:
    std::array<const CollectiveRow*, collective_count> rows_{}; // null: not in traces of liballprof
};

} // namespace orrery
