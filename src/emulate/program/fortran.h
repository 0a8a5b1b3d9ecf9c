// What gfortran's run-time library keeps once per process, seen from the ranks.
#pragma once

#include "emulate/program/libc_state.h"

namespace orrery::emulate {

bool fortran_loaded();           // libgfortran is in the process
void flush_fortran();            // what unit 6 still holds
void forget_fortran(LibcState*); // a rank has ended: its generator's state need not be kept

} // namespace orrery::emulate
