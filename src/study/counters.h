// What this machine can count of a computation: instructions, or the CPU time of a thread, and how cheaply.
#pragma once

#include <string>

namespace orrery {

struct CounterFinding {
    bool has = false;
    std::string why; // what it is, or why it is missing and what helps
};

// Whether a program may count its own instructions (perf_event). Tries it.
CounterFinding instruction_counter();
// Whether the CPU time of a thread is had without asking the kernel at each call: the time stamp counter runs
// at one rate on all cores, and the C library tells a thread when it was moved or interrupted (rseq).
CounterFinding fast_cpu_clock();

} // namespace orrery
