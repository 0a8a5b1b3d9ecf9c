// Acquisition: an MPI application runs under its own mpirun with the tracing library in every rank, and what it
// did is left as a trace.
#pragma once

#include "engine/ids.h"
#include "formats/ort/recorded_trace.h"
#include "tools/acquire/launch.h"
#include "workload/op.h"

#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

struct Acquisition {
    Launch launch;              // what runs, and where; its environment and preload are added here
    std::optional<MpiKind> mpi; // otherwise what the program is linked with
    std::string output;         // a folder, or a file *.ort; empty: <program>.trace
    bool replace = false;       // a trace that is there
    bool timed = false;
    std::string counter = "auto"; // or "instructions", "cpu-time"
    std::uint32_t gather = 0;     // arity of the tree that gathers the trace over MPI; 0: a file per rank
    Bytes buffer = 0;             // of a rank; 0: as the library likes
    std::string program;          // that makes the trace, with its version, for the manifest
};

struct Acquired {
    std::string path; // of the trace, as it was asked for
    MpiKind mpi = MpiKind::openmpi;
    Launched run;
    std::optional<RecordedTrace> trace; // none: there is nothing that could be read, and `problem` says why
    std::string problem;
    bool cut_off = false; // some rank has no end: to be read with --allow-truncated
};

// Throws what launch() throws; UsageError if the output may not be replaced, the counter is not there or this
// build has no tracing library; InputError if the program cannot be traced.
Acquired acquire(const Acquisition& wanted);

// A few lines for the user: what was recorded, where, at what cost, and what to do next.
std::string summary_words(const Acquired& acquired);
// The same as one JSON object.
std::string summary_json(const Acquired& acquired);

} // namespace orrery
