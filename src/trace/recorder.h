// Between the wrappers of MPI functions and what is kept of them.
//
// A wrapper calls enter(), the real function, put() for each action that the call stands for, and leave(). All
// of them run in the traced application: they throw nothing, allocate nothing in the common case, and cost some
// tens of nanoseconds. What the rank computed since the last call becomes a compute action before the first
// action of this one; time spent in MPI and in the tracer is not counted.
#pragma once

#include "workload/action.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace orrery::trace {

// Numbers of the functions in the table of the API, in its order (generated).
using FunctionId = std::uint16_t;

struct Function {
    const char* name;     // "MPI_Put"
    bool replayed = true; // false: counted and named only (one-sided, files, spawning, ...)
};
// The table of the API by FunctionId. Defined beside the generated wrappers, not by the recorder.
std::span<const Function> functions() noexcept;

// True if this call is to be recorded: the library records, and the call was not made from within another MPI
// call. Counts the call. A wrapper that gets false passes the call on and does nothing else (no leave()).
bool enter(FunctionId function) noexcept;
// Only between the real function's return and leave(), with a Recording held. The counts are copied.
void put(const Action& action, const Bytes* counts = nullptr, std::size_t count = 0) noexcept;
// This call has no action although its function usually has one (a collective of an intercommunicator): the end
// block names it among those not replayed. Like put().
void not_replayed() noexcept;
// Without a Recording.
void leave() noexcept;

// Held by a wrapper around what it does before the real function and around what it does after it, but never
// while the real function runs (two threads that wait for each other's messages would hang):
//
//   if (!enter(id)) return PMPI_X(...);
//   { Recording recording; /* before: look at requests, communicators, ... */ }
//   result = PMPI_X(...);
//   { Recording recording; /* after: tables, put(...) */ }
//   leave();
//
// So the tables of the hooks and the buffer belong to one thread at a time. One predictable branch unless
// MPI_THREAD_MULTIPLE was granted.
class Recording {
  public:
    Recording() noexcept : locked_(several_threads) {
        if (locked_) {
            lock();
        }
    }
    ~Recording() {
        if (locked_) {
            unlock();
        }
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

  private:
    friend void begin(int rank, int ranks, bool threads) noexcept;
    static void lock() noexcept;
    static void unlock() noexcept;
    static bool several_threads; // set by begin(), before any other thread may call MPI
    bool locked_;
};

// After PMPI_Init(_thread) has returned: opens the rank's file and begins. `threads`: MPI_THREAD_MULTIPLE was
// granted. The last thing that the wrapper of MPI_Init does: computing is counted from its return on.
void begin(int rank, int ranks, bool threads) noexcept;
// Before PMPI_Finalize: writes what is left and the end block, then (if asked) gathers over MPI. Between
// enter() and leave() of MPI_Finalize or outside.
void end() noexcept;
// Before PMPI_Abort: the same with that remark, without any communication.
void aborted(int code) noexcept;

} // namespace orrery::trace
