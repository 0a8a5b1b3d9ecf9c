// Ctrl-C, SIGTERM and SIGHUP: work that takes long stops at its next safe point and says how far it came.
//
// The signal only sets a flag; the loops of the simulation and whoever shows progress test it and throw
// Interrupted, so that files that are not complete are removed as after any error. A second signal ends the
// process at once. So does the first, after 3 s, if nobody tests the flag: an emulated program that computes
// without end.
#pragma once

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <string>

namespace orrery {

// The words say how far the work came and what is kept.
class Interrupted : public std::runtime_error {
  public:
    Interrupted(int number, const std::string& words) : std::runtime_error(words), signal_(number) {}
    [[nodiscard]] int exit_code() const { return 128 + signal_; } // as a shell has it

  private:
    int signal_;
};

namespace detail {
extern std::atomic<int> interrupting_signal;
}

// The signal that asks the work to stop; 0: none. Costs a load.
inline int interrupt_requested() { return detail::interrupting_signal.load(std::memory_order_relaxed); }

// Throws Interrupted if a signal asks for it: "stopped by Ctrl-C " (or the signal) and these words.
[[noreturn]] void throw_interrupted(const std::string& how_far);

// For the loops of long work whose caller knows how far it came.
inline void stop_if_interrupted() {
    if (interrupt_requested() != 0) [[unlikely]]
        throw_interrupted("in the middle of a task");
}

// While one lives the three signals set the flag; then all is as it was. They may be nested.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

  private:
    struct sigaction interrupt_ {};
    struct sigaction terminate_ {};
    struct sigaction hang_up_ {};
    struct sigaction alarm_ {};
};

} // namespace orrery
