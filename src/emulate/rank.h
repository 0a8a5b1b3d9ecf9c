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
struct ProcessState; // mpi/: communicators, attributes, buffers
}

struct Rank {
    Rank();
    ~Rank();
    std::uint32_t index = 0; // in MPI_COMM_WORLD
    Context context;
    std::unique_ptr<Instance> instance;
    std::unique_ptr<LibcState> libc;
    std::unique_ptr<ComputeState> compute;
    std::unique_ptr<mpi::ProcessState> mpi;
    const char* parked_in = nullptr; // the call, while it waits for something of the emulator's own
    int exit_code = 0;
    bool in_call = false; // in MPI, not in its own code
    bool ended = false;
};

extern Rank* current; // null while the scheduler runs
inline Rank& self() { return *current; }

} // namespace orrery::emulate
