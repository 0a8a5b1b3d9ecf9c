#include "mpi_library/call.h"

#include "emulate/compute/compute.h"
#include "emulate/program/outside.h"
#include "emulate/program/signals.h"
#include "mpi_library/action_log.h"
#include "mpi_library/call_kinds.h"
#include "mpi_library/engine.h"
#include "mpi_library/handle_error.h"
#include "mpi_library/process_state.h"
#include "mpi_library/runtime.h"
#include "orrery/mpi/mpi.h"

namespace orrery::emulate::mpi {

Call::Call(FunctionId function, const void* site) : function_(function), site_(site), outermost_(false) {
    if (!emulating()) start_alone(); // the program was started by itself
    if (outside::called_from()) outside::refuse(name_of(function));
    if (current == nullptr || self().in_call) return;
    outermost_ = true;
    enter_call({site_, static_cast<std::uint32_t>(function) + 1});
    if (self().clock_reads != 0 && function != FunctionId::Wtime) [[unlikely]]
        engine().pay_clock();
    self().in_call = true;
    if (engine().watched()) {
        began_ = engine().now();
        engine().log()->begin_call(self().index);
    }
    ProcessState& state = process();
    state.present = function;
    ++state.calls;
    if (!state.begun || state.over) check_allowed(function);
}

void Call::end() {
    if (!outermost_) return;
    engine().end_call(function_, kind_of(function_));
    if (engine().watched()) tell();
    self().in_call = false;
    leave_call(site_);
    if (signals::armed > 0) [[unlikely]] {
        (void)signals::check_timers(engine().now());
        if (signals::at_safe_point != nullptr) signals::at_safe_point();
    }
}

void Call::tell() {
    if (const auto action = action_of(function_, engine().log()->last(self().index)))
        engine().tell(*action, began_);
}

int Call::fail(const Failure& failure, int object) {
    const int code = handle_error(failure, name_of(function_), object); // may end the run
    end();
    return code;
}

void null_argument(const char* name) { throw Failure(MPI_ERR_ARG, std::string(name) + " is a null pointer"); }

void Call::broken() { engine().abort(1, std::current_exception()); }

} // namespace orrery::emulate::mpi
