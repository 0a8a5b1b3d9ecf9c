// How a trace is read and what its program becomes.
#pragma once

#include "collectives/selection.h"
#include "engine/time.h"

#include <cstdint>

namespace orrery {

// Numbers that mean "any source" and "no process" differ between MPI libraries, and so does the size of a
// request.
enum class MpiLibrary : std::uint8_t { detect, open_mpi, mpich };

struct AllprofOptions {
    CollectivePolicy collective_algorithms = CollectivePolicy(Selector::loggopsim);
    bool point_to_point = true;    // false: sends, receives and waits count as computing
    bool collectives = true;       // false: so do collectives
    Time collectives_early;        // blocking collectives are started this much earlier, over computing time
    double compute_scale = 1;      // computing times are multiplied by this
    std::uint32_t compute_cpu = 0; // computing goes to this CPU; messages stay on CPU 0
    std::uint64_t skip_collectives = 0; // begin after so many collectives over all ranks
    std::uint64_t max_collectives = 0;  // and end after so many more; 0: at the end of the trace
    bool skip_unsupported = false;      // calls that cannot be represented are left out; else they are an error
    bool allow_truncated = false;       // a trace may end without MPI_Finalize
    MpiLibrary library = MpiLibrary::detect;
    std::uint32_t request_bytes = 0; // size of an MPI_Request: 4 or 8; 0: detect
};

} // namespace orrery
