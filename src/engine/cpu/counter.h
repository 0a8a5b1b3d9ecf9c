// What is counted between the calls of a thread: instructions, or CPU time in nanoseconds where there is no
// counter for them.
#pragma once

#include "engine/cpu/clock.h"
#include "engine/cpu/counter_perf.h"

#include <cstdint>
#include <string_view>

namespace orrery::trace {

// What is asked for.
enum class CounterChoice : std::uint8_t { automatic, instructions, cpu_time };

enum class CounterKind : std::uint8_t {
    instructions,       // perf_event, user mode only
    cpu_time_by_ticks,  // CpuClock
    cpu_time_by_system, // CLOCK_THREAD_CPUTIME_ID at each call
};

struct CounterFacts {
    std::string_view name;  // "instructions", "cpu-time"
    std::string_view clock; // how it is read
    double reference;       // units per second of CPU time; 0: not a time
    std::int64_t least;     // shorter bursts are added to the next: below this the reading is mostly noise
};
CounterFacts facts_of(CounterKind kind);

// What `choice` comes to on this machine. start_ticks() comes first. `available` is false if instructions are
// demanded and cannot be had.
struct ChosenCounter {
    CounterKind kind = CounterKind::cpu_time_by_system;
    bool available = true;
};
ChosenCounter choose_counter(CounterChoice choice);

// Belongs to one thread, which calls start().
class Counter {
  public:
    void start(CounterKind kind) noexcept;
    void stop() noexcept;

    // As of the call; as of the return. The tick comes from the same reading where it can.
    Reading before() noexcept { return kind_ == CounterKind::cpu_time_by_ticks ? cpu_.before() : read_other(); }
    Reading after() noexcept { return kind_ == CounterKind::cpu_time_by_ticks ? cpu_.after() : read_other(); }
    // See CpuClock; never any where the system is asked at each reading.
    [[nodiscard]] std::uint32_t disturbances() const noexcept { return cpu_.disturbances(); }

  private:
    [[nodiscard]] Reading read_other() const noexcept;

    CounterKind kind_ = CounterKind::cpu_time_by_system;
    CpuClock cpu_;
    PerfEvent instructions_;
};

} // namespace orrery::trace
