// Faults in the code of a rank, told in words: which rank, where, and whether its stack was too small.
//
// A hit on a guard page ends the run as an error of the application, exit code 1. Any other fault is reported
// and then takes its usual course.
#pragma once

#include "emulate/context/stacks.h"

namespace orrery::emulate {

// From now on, for ranks on these stacks; null: no more, the signals are as before.
void watch_faults(const Stacks* stacks);

} // namespace orrery::emulate
