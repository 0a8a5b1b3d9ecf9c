// Where a schedule goes as it is read or generated, one rank after the other: a file of some format, or memory.
#pragma once

#include "engine/ids.h"
#include "workload/graph.h"
#include "workload/wide_tags.h"

#include <cstdint>

namespace orrery {

class ScheduleSink {
  public:
    virtual ~ScheduleSink() = default;

    virtual void begin(std::uint32_t ranks) = 0;
    // A tag of operations stands for another one in the text; called before the first rank that has it.
    virtual void wide_tag(const WideTag& /*tag*/) {}
    // Called for rank 0, 1, ... ranks-1 in this order. The graph has passed check_rank.
    virtual void rank(RankId rank, const RankGraph& graph) = 0;
    // The last call. A file appears under its name here and not before.
    virtual void finish() = 0;
};

} // namespace orrery
