// What the MPI library keeps for each rank.
#pragma once

#include "emulate/rank.h"
#include "function_ids.h"
#include "mpi_library/comm.h"
#include "mpi_library/local_state.h"
#include "mpi_library/request.h"

#include <vector>

namespace orrery::emulate::mpi {

struct alignas(64) ProcessState {
    explicit ProcessState(std::uint32_t rank, std::uint32_t size);
    // The rank goes on soon: what most calls look at into the cache.
    void prefetch() const {
        __builtin_prefetch(this, 1);
        __builtin_prefetch(&world, 1);
    }
    // One cache line: what every call looks at.
    FunctionId present{};           // the call that it is in, or was in last
    bool begun = false;             // MPI_Init
    bool over = false;              // MPI_Finalize
    std::uint16_t failed_tests = 0; // tests in a row that found nothing, up to 999
    std::uint16_t idle_tests = 0;   // the last of them with nothing changed in between, up to 999
    std::uint64_t calls = 0;        // of MPI, so far
    std::int64_t requests = 0;      // of the application, not yet completed or freed
    std::uint64_t quiet_call = 0;   // the last test that found nothing
    Time quiet_until;               // its end
    std::uint64_t quiet_place = 0;  // and what the program had in its variables (Context::fingerprint)
    Time quiet_since;               // the first of those in a row

    Comm world;
    Comm own; // MPI_COMM_SELF
    LocalState local;
    ErrhandlerSlot file_errhandler{MPI_ERRORS_RETURN}; // of MPI_FILE_NULL: what files have when they are opened
    void* buffer = nullptr;                            // of MPI_Buffer_attach
    int buffer_bytes = 0;
    int threads = MPI_THREAD_SINGLE;
};

inline ProcessState& process() { return *self().mpi; }

} // namespace orrery::emulate::mpi
