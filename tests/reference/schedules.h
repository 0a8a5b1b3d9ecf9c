// Between the exchange form that the reference simulator takes and the compact form that the fast one takes.
#pragma once

#include "workload/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::reference {

// Keeps every rank's graph.
class GraphCollector : public ScheduleSink {
  public:
    std::vector<RankGraph> ranks;

    void begin(std::uint32_t count) override { ranks.reserve(count); }
    void rank(RankId, const RankGraph& graph) override { ranks.push_back(graph); }
    void finish() override {}
};

inline Schedule build_schedule(const std::vector<RankGraph>& ranks) {
    ScheduleBuilder builder;
    const auto count = static_cast<std::uint32_t>(ranks.size());
    builder.begin(count);
    for (std::uint32_t r = 0; r < count; ++r) {
        check_rank(ranks[r], RankId{r}, count, "");
        builder.rank(RankId{r}, ranks[r]);
    }
    builder.finish();
    return builder.take();
}

} // namespace orrery::reference
