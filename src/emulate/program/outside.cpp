#include "emulate/program/outside.h"

#include "emulate/program/descriptors.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace orrery::emulate::outside {

std::uint64_t home = 0;
int (*in_parallel)() = nullptr;

void watch() {
    home = thread_pointer();
    in_parallel = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_in_parallel"));
}

void forget() {
    home = 0;
    in_parallel = nullptr;
}

// Another thread runs here beside the ranks: nothing can be ended in order.
void refuse(const char* function) {
    const bool inside = home == thread_pointer();
    (void)::dprintf(
        descriptors::errors(),
        home == nobody ? "%s was called by a child process: only the rank that has forked it may call MPI\n"
        : inside       ? "%s was called within a parallel region of OpenMP: call MPI before or after it\n"
                       : "%s was called by a thread of OpenMP or of a library: only main and threads that "
                         "the program has started itself may call MPI\n",
        function);
    std::_Exit(1);
}

} // namespace orrery::emulate::outside
