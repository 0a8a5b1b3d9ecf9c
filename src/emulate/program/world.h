// What the program's surroundings ask of the emulation, on a rank's context. A seam: world.cpp asks the Engine,
// the tests' runner has a scheduler of its own.
#pragma once

#include "engine/time.h"

#include <string>

namespace orrery::emulate::world {

Time now();  // as a clock shows it: looking takes a little
Time time(); // the same, without looking
void sleep(Time duration);
[[noreturn]] void wait_forever(const char* call); // all threads of the rank wait for each other
[[noreturn]] void end_rank(int exit_code);
// This process is a child of the rank that runs: nothing is simulated in it.
void forked();
[[noreturn]] void abort(int exit_code, const std::string& words);

} // namespace orrery::emulate::world
