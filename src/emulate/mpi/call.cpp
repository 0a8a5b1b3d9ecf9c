#include "emulate/mpi/call.h"

#include "emulate/compute/compute.h"
#include "emulate/engine.h"
#include "emulate/mpi/call_kinds.h"
#include "emulate/mpi/handle_error.h"
#include "emulate/mpi/process_state.h"
#include "emulate/mpi/runtime.h"

namespace orrery::emulate::mpi {

Call::Call(FunctionId function) : function_(function), outermost_(false) {
    if (!emulating()) start_alone(); // the program was started by itself
    if (current == nullptr || self().in_call) return;
    outermost_ = true;
    enter_call();
    self().in_call = true;
    ProcessState& state = process();
    state.present = function;
    ++state.calls;
    if (!state.begun || state.over) check_allowed(function);
}

void Call::end() {
    if (!outermost_) return;
    engine().account_call(kind_of(function_));
    engine().count_call();
    self().in_call = false;
    leave_call();
}

int Call::fail(const Failure& failure, int object) {
    const int code = handle_error(failure, name_of(function_), object); // may end the run
    end();
    return code;
}

void Call::broken() { engine().abort(1, std::current_exception()); }

} // namespace orrery::emulate::mpi
