// One emulated process of the application, and which one runs now.
//
// All ranks run in one thread of one process, one at a time: each until it has to wait. What the parts of the
// emulator keep for a rank hangs off it; a rank that never uses a part does not pay for it.
#pragma once

#include "emulate/context/context.h"
#include "engine/time.h"

#include <cstdint>
#include <memory>

namespace orrery::emulate {

class Engine;
class Instance;      // program/: the rank's copy of the program's data
struct LibcState;    // program/: what the C library keeps per process
struct ComputeState; // compute/: its stopwatch and samples
namespace mpi {
struct ProcessState; // mpi_library/: communicators, attributes, buffers
}

// What each switch needs comes first. Two cache lines.
struct alignas(64) Rank {
    Rank();
    ~Rank();
    std::unique_ptr<mpi::ProcessState> mpi;
    std::unique_ptr<ComputeState> compute;
    std::uint32_t index = 0; // in MPI_COMM_WORLD
    bool in_call = false;    // in MPI, not in its own code
    bool ended = false;
    std::uint16_t clock_reads = 0; // whose time has not passed yet (Engine::read_clock)
    Context context;
    std::unique_ptr<LibcState> libc;
    std::unique_ptr<Instance> instance;
    const char* blocked_in = nullptr;       // the call in which the emulator itself blocks the rank
    const std::byte* needed_soon = nullptr; // of its program, when it goes on; null: nothing is known
};

extern Rank* current; // null while the scheduler runs
inline Rank& self() { return *current; }

} // namespace orrery::emulate
