// A line on the terminal that says how far reading or writing has come, rank after rank.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace orrery::cli {

class ProgressLine {
  public:
    // `unit`: of what is counted, "operations". Shows nothing if stderr is not a terminal, nor during the first
    // second.
    explicit ProgressLine(std::string unit);
    ~ProgressLine() { wipe(); } // also after an error
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // So many have been dealt with, and that many of all ranks. Costs a comparison as a rule.
    void update(std::uint64_t done, std::uint32_t ranks_done, std::uint32_t ranks) {
        if (terminal_ && done >= look_at_clock_) look(done, ranks_done, ranks);
    }
    void wipe();

  private:
    using Clock = std::chrono::steady_clock;
    void look(std::uint64_t done, std::uint32_t ranks_done, std::uint32_t ranks);

    std::string unit_;
    bool terminal_;
    bool shown_ = false;
    std::uint64_t look_at_clock_ = 0; // when that many are done
    Clock::time_point start_ = Clock::now();
    Clock::time_point next_update_ = start_ + std::chrono::seconds(1); // short work needs no progress
};

} // namespace orrery::cli
