// Inspects the rank that runs, at regular times: must it be stopped or signalled although it calls nothing?
//
// The clock of the thread's processor time sends a signal every 20 ms, which finds the rank in its own code and
// on its own stack. It ends a loop without MPI at --until; names a rank that burns time while no rank advances
// (--stall) or that runs when Ctrl-C comes; and calls handlers of its timers while it computes. A rank that is
// in the emulator, or in a library, is inspected again at the next tick, or when its call of MPI ends.
//
// Where computation takes no simulated time (--compute none), --until cannot come while a rank computes. With
// --until the stall then ends the rank, not the run: it is left where it is, with a warning, and the others go
// on until then. The next one has half the time, so that all ranks of a program that loops take twice the time
// of one.
#pragma once

#include "engine/time.h"

#include <csignal>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace orrery::emulate {

class Compute;
class Engine;

class RankTicks {
  public:
    struct Options {
        Time stall;               // of processor time in which no rank advances; zero: without limit
        Time until = Time::max(); // of simulated time
    };
    RankTicks(Engine& engine, Compute& compute, const Options& options);
    ~RankTicks();
    RankTicks(const RankTicks&) = delete;
    RankTicks& operator=(const RankTicks&) = delete;
    // About ranks that were left in a loop; empty: there are none.
    [[nodiscard]] std::string left_ranks() const;

  private:
    static void tick(int number, siginfo_t* info, void* context);
    void inspect(void* context);
    [[nodiscard]] bool stalled(Time limit);
    void end_from(void* context, void (*last)());
    static void end_stalled();
    static void end_interrupted();
    static void end_until();
    static void leave_stalled();
    static void say_stalled();
    static void say_interrupted();
    static void at_safe_point();

    Engine& engine_;
    Compute& compute_;
    Options options_;
    timer_t timer_{};
    bool ticks_ = false;
    struct sigaction before_ {};
    std::uint64_t progress_ = 0;
    Time progress_at_; // of processor time
    Time patience_;    // options_.stall, less for each rank that was left
    std::uint32_t left_ = 0;
    std::string first_left_; // in words
    bool asked_ = false;     // to end at the next safe point
    bool at_call_ = false;   // it has come to one
    std::vector<void*> frames_;
};

} // namespace orrery::emulate
