// The state of a recording rank, and what each of its threads keeps for itself.
#pragma once

#include "engine/cpu/counter.h"
#include "trace/buffer.h"
#include "trace/recorder.h"
#include "trace/settings.h"
#include "trace/writer.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery::trace {

// A sum that one thread adds to and others may read: a plain addition, but never half a number.
template <typename Number> class OwnSum {
  public:
    void add(Number more) noexcept { sum_.store(get() + more, std::memory_order_relaxed); }
    void clear() noexcept { sum_.store(0, std::memory_order_relaxed); }
    [[nodiscard]] Number get() const noexcept { return sum_.load(std::memory_order_relaxed); }

  private:
    std::atomic<Number> sum_ = 0;
};

// Of a thread that calls MPI. Nobody else writes to it until the thread ends; whoever ends the run reads the
// sums.
struct ThreadState {
    Counter counter;
    Reading entered;                  // when the call it is in began
    Reading left;                     // when the last one ended
    std::uint64_t returned = 0;       // timed: when the real function came back
    std::uint64_t recorded_until = 0; // end of the last call that had an action
    std::int64_t pending = 0;         // computed and not yet in an action
    OwnSum<std::int64_t> volume;      // computed altogether
    OwnSum<std::uint64_t> mpi_ticks;
    FunctionId function = 0;
    bool inside = false;  // a call
    bool has_put = false; // this call
    ThreadState* next = nullptr;
};

struct Session {
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    Settings settings;
    std::uint32_t rank = 0;
    std::uint32_t ranks = 1;
    bool threads = false; // several may call at once
    CounterKind counter = CounterKind::cpu_time_by_system;
    std::int64_t least = 1; // volume that makes an action
    std::int64_t gap = 0;   // what a burst of nothing counts
    double call_ticks = 0;  // what enter() and leave() cost, and put()
    double put_ticks = 0;
    std::int64_t began = 0; // CLOCK_MONOTONIC
    std::uint64_t actions = 0;
    std::vector<std::uint64_t> calls;      // by FunctionId; several threads may add
    std::vector<std::uint64_t> unreplayed; // of them
    Buffers buffers;
    std::unique_ptr<Writer> writer; // none: this rank records nothing, but takes part in the gather

    ThreadState* first_thread = nullptr;
    std::int64_t ended_volume = 0; // of threads that are gone
    std::uint64_t ended_mpi_ticks = 0;
};

// What the rank's begin and end blocks say.
std::string begin_block(const Session& session);
std::string end_block(Session& session, bool finalized, const std::string& how);

// Where this rank writes. With a gather, a host that does not have the directory uses TMPDIR.
std::string rank_file(const Settings& settings, std::uint32_t rank);

} // namespace orrery::trace
