// What the computer that runs this offers to a simulation: CPUs, memory, huge pages, hardware counters.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::cli {

// Something that is there or is not; `why` says what it is, or why it is missing and what helps.
struct Finding {
    bool has = false;
    std::string why;
};

struct ThisMachine {
    std::string cpu;                   // model name
    std::uint32_t cores = 0;           // that this process may use
    std::uint64_t memory_bytes = 0;    // that this process may use: of the machine or, if smaller, of its group
    std::uint64_t available_bytes = 0; // of these, free or easily freed now
    Finding huge_pages;                // transparent huge pages
    Finding lazy_memory;               // memory that is reserved but not written takes no space
    Finding counters;                  // of instructions (perf_event), for traces
    Finding cpu_clock;                 // CPU time of a thread without a system call, for traces
};

ThisMachine look_at_this_machine();

} // namespace orrery::cli
