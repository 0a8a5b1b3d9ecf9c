// Shows on a terminal how far the reading of a schedule has come; passes everything on.
#pragma once

#include "engine/interrupt.h"
#include "workload/sink.h"

#include <chrono>

namespace orrery::cli {

class ScheduleProgress : public ScheduleSink {
  public:
    explicit ScheduleProgress(ScheduleSink& next);
    ~ScheduleProgress() override; // wipes the line, also after an error

    void begin(std::uint32_t ranks) override;
    void rank(RankId rank, const RankGraph& graph) override;
    void finish() override;

    [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
    [[nodiscard]] std::uint64_t operations() const { return operations_; }

  private:
    using Clock = std::chrono::steady_clock;
    void show(std::uint32_t ranks_done);
    void wipe();

    InterruptWatch interrupts_;
    ScheduleSink& next_;
    bool terminal_;
    bool shown_ = false;
    std::uint32_t ranks_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t look_at_clock_ = 0; // when that many operations have passed
    Clock::time_point start_ = Clock::now();
    Clock::time_point next_update_ = start_ + std::chrono::seconds(1); // short work needs no progress
};

} // namespace orrery::cli
