// Shows on a terminal how far the reading of a schedule has come; passes everything on.
#pragma once

#include "cli/progress_line.h"
#include "engine/interrupt.h"
#include "workload/sink.h"

namespace orrery::cli {

class ScheduleProgress : public ScheduleSink {
  public:
    explicit ScheduleProgress(ScheduleSink& next) : next_(next) {}

    void begin(std::uint32_t ranks) override;
    void wide_tag(const WideTag& tag) override;
    void rank(RankId rank, const RankGraph& graph) override;
    void finish() override;

    [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] std::uint64_t wide_tags() const { return wide_tags_; } // that 32 bits do not hold

  private:
    InterruptWatch interrupts_;
    ScheduleSink& next_;
    std::uint32_t ranks_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t wide_tags_ = 0;
    ProgressLine line_{"operations"};
};

} // namespace orrery::cli
