// Faults in the code of a rank, told in words: which rank, where, and whether its stack was too small.
//
// A hit on a guard page ends the run as an error of the application, exit code 1. Any other fault is reported
// and then takes its usual course.
#pragma once

#include "emulate/context/stacks.h"

#include <cstdint>
#include <optional>
#include <string>

namespace orrery::emulate {

// From now on, for ranks on these stacks; null: no more, the signals are as before.
void watch_faults(const Stacks* stacks);

// In a handler of a signal, with what the system tells it: when it returns, the code that was interrupted does
// not go on. `last` is called instead, on a stack of its own, and must not return.
void leave_for(void* context, void (*last)());

// What the emulator was at when a fault came: whose doing it is, and "in the receive buffer of MPI_Recv ...".
struct FaultWords {
    std::uint32_t rank;
    std::string words;
};
using ExplainFault = std::optional<FaultWords> (*)(const void* address, bool writes);
void explain_faults(ExplainFault explain); // null: nobody knows

} // namespace orrery::emulate
