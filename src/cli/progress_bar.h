// A line on the terminal that says how far a simulation has come, how fast it goes and when it will end.
#pragma once

#include "engine/interrupt.h"
#include "engine/time.h"

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace orrery::cli {

class ProgressBar {
  public:
    // Shows nothing if `wanted` is false or stderr is not a terminal, nor during the first second.
    // `events` belong to that many operations: operations and messages. 0 operations: their number is not
    // known.
    ProgressBar(std::uint64_t operations, std::uint64_t events, bool wanted);
    ~ProgressBar() { wipe(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // Throws Interrupted after Ctrl-C.
    void show(std::uint64_t operations_done, Time simulated);
    void wipe();
    [[nodiscard]] bool active() const { return active_; }

  private:
    using Clock = std::chrono::steady_clock;
    InterruptWatch interrupts_;
    std::uint64_t operations_;
    std::uint64_t events_;
    bool active_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point next_ = start_ + std::chrono::seconds(1);
};

// While it lives, what is written to stdout wipes the bar away first, if both are on a terminal.
class SharedTerminal {
  public:
    explicit SharedTerminal(ProgressBar& bar);
    ~SharedTerminal();
    SharedTerminal(const SharedTerminal&) = delete;
    SharedTerminal& operator=(const SharedTerminal&) = delete;

  private:
    std::FILE* before_ = nullptr; // null: nothing was changed
};

} // namespace orrery::cli
