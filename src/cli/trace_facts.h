// What `orrery info` knows of a trace before it puts it into words or JSON.
#pragma once

#include "cli/info_trace.h"
#include "formats/ort/recorded_trace.h"
#include "formats/ti/statistics.h"
#include "observe/communication_matrix.h"
#include "observe/compute_rates.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery::cli {

// Of a recorded trace: what the tracing library wrote beside the actions, all ranks together.
struct RecordedRun {
    RecordedBegin begin;
    std::vector<std::string> hosts;             // distinct ones, sorted
    std::map<std::string, std::uint64_t> calls; // by MPI name
    std::map<std::string, std::uint64_t> not_replayed;
    double seconds = 0;           // of the rank that ran longest
    double mpi_seconds = 0;       // of all ranks
    double cost_seconds = 0;      // of all ranks: what tracing cost, taken off
    std::uint64_t peak_bytes = 0; // of the largest rank
    std::uint64_t stored_bytes = 0;
};

struct TraceFacts {
    std::string format;
    std::optional<std::uint64_t> bytes; // of the file, or of the files of a recorded trace
    TiStatistics counts;
    std::optional<CommunicationMatrix> matrix;
    std::optional<RecordedRun> run;    // recorded traces
    std::optional<ComputeRates> rates; // timed ones
    std::vector<std::string> notes;
    bool cpu_time = false; // of Dimemas and Paraver traces: volumes are nanoseconds

    // What volumes are counted in: "instructions", "ns of CPU time".
    [[nodiscard]] std::string unit() const;
};

// Reads the trace and writes the files that were asked for.
TraceFacts read_trace(const TraceInfo& info);

void print_json(const TraceInfo& info, const TraceFacts& facts);

} // namespace orrery::cli
