// Threads that the emulation does not run: OpenMP's and those of libraries. They may compute, but not call MPI:
// a rank that waits gives its thread of the system to other ranks, which theirs cannot do. The same holds for a
// rank within a parallel region, whose team knows the thread of the system.
#pragma once

#include <cstdint>

namespace orrery::emulate::outside {

// The thread of the system that runs the ranks; 0: any; nobody: this process is a child of a rank.
constexpr std::uint64_t nobody = 1;
extern std::uint64_t home;
// OpenMP's own function, if the program uses it.
extern int (*in_parallel)();

inline std::uint64_t thread_pointer() {
    std::uint64_t value = 0;
    asm("movq %%fs:0, %0" : "=r"(value));
    return value;
}
inline bool called_from() {
    return (home != 0 && home != thread_pointer()) || (in_parallel != nullptr && in_parallel() != 0);
}

void watch();  // from this thread on
void forget(); // no emulation is under way
// Ends the process with words.
[[noreturn]] void refuse(const char* function);

} // namespace orrery::emulate::outside
