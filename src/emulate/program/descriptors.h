// The simulator's own descriptors while a program runs that may close or redirect any of them.
//
// Descriptors belong to the process, so all ranks share them. The simulator keeps private duplicates of the
// standard ones, and puts them back before it writes itself; the program cannot close these, nor any other that
// the simulator has open.
#pragma once

namespace orrery::emulate::descriptors {

void keep();            // before the first rank
void restore();         // 0, 1 and 2 are what they were
void protect(int file); // one that the simulator has opened since
[[nodiscard]] bool is_own(int file);
[[nodiscard]] int errors(); // for words of the simulator while the program runs

} // namespace orrery::emulate::descriptors
