// A process that a rank has forked: a child of the program. What it does really happens; nothing is simulated
// in it, and it leaves what belongs to the simulation alone.
#pragma once

#include "engine/time.h"

#include <string>
#include <sys/types.h>

namespace orrery::emulate::child {

extern bool here; // this process is one

// fork() as the rank means it. What has been written before goes out first, so that it comes out once. The
// child is one at once.
pid_t fork_rank();
// The same of a process that something else has forked: world::forked() and what the program may expect.
void begin();

// In a child: time starts as the rank's when it forked, and passes as it really does.
void start_clock(Time at);
Time now();
void sleep(Time duration);
// In a child: the end of the process.
[[noreturn]] void end(int exit_code);
[[noreturn]] void fail(int exit_code, const std::string& words);

} // namespace orrery::emulate::child
