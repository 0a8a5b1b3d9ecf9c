// The simulator's own descriptors while a program runs that may close or redirect any of them.
//
// Descriptors belong to the process, so all ranks share them. But 0, 1 and 2 are each rank's: a rank that
// closes or redirects one finds it so whenever it goes on, and the others find it as it was. That costs a rank
// that has never done so nothing; the switches to and from one that has cost some system calls.
//
// The simulator keeps private duplicates of the standard ones, and puts them back before it writes itself; the
// program cannot close these, nor any other that the simulator has open.
#pragma once

#include "emulate/rank.h"

namespace orrery::emulate::descriptors {

void keep();    // before the first rank
void restore(); // 0, 1 and 2 are what they were
// The rank that runs is about to do something to 0, 1 or 2; and has done it.
void before_change();
void after_change();
void install(const Rank& rank); // it goes on: 0, 1 and 2 become its own
void protect(int file);         // one that the simulator has opened since
[[nodiscard]] bool is_own(int file);
[[nodiscard]] int errors(); // for words of the simulator while the program runs

} // namespace orrery::emulate::descriptors
