// Entering and leaving MPI: every entry point makes one of these.
//
// The stopwatch of the rank stops while it is in a call; the time that passes counts as that call's.
#pragma once

#include "engine/time.h"
#include "function_ids.h"
#include "mpi_library/errors.h"

namespace orrery::emulate::mpi {

class Call {
  public:
    // `site`: where the program called from. The default is evaluated in the entry point that makes the Call.
    explicit Call(FunctionId function, const void* site = __builtin_return_address(0));
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    template <typename Result> Result leave(Result result) {
        end();
        return result;
    }
    // Asks the error handler of what the failure names, or else of `object`, the communicator, window or file
    // that the function was called with. Returns what the function is to return.
    int fail(const Failure& failure, int object = 0);
    // Anything else that went wrong, such as ranks that call different collectives: ends the run.
    [[noreturn]] void broken();

  private:
    void end();
    void tell();
    FunctionId function_;
    const void* site_;
    Time began_;     // if somebody watches
    bool outermost_; // not a call of a function that MPI itself called (a callback)
};

} // namespace orrery::emulate::mpi
