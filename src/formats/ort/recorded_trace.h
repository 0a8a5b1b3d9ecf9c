// A recorded trace as the tracing library left it: a directory with a file per rank (rank-<n>.ort), or one .ort
// file with the blocks of all ranks. A directory may hold any number of .ort files: all their blocks together
// are the trace.
#pragma once

#include "formats/ort/encoder.h"
#include "workload/action.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery {

// What the begin block of a rank says. All of rank 0's is shown; others must agree on ranks, run and counter.
struct RecordedBegin {
    std::uint64_t run = 0;
    std::uint32_t ranks = 0;
    std::string program;  // and its arguments
    std::string host;     // of this rank
    std::string cpu;      // its model
    std::string mpi;      // "Open MPI 4.1.4"
    std::string started;  // UTC, ISO 8601
    std::string counter;  // "instructions", "cpu-time"
    std::string clock;    // how it was read: "time stamp counter", "system call", ...
    double reference = 0; // units per second of the counter's volumes if it is cpu-time, otherwise 0
    std::string version;  // of Orrery
    bool timed = false;
};

// What the end block says: calls by name, whether or not they became actions.
struct RecordedCall {
    std::string name; // "MPI_Put"
    std::uint64_t calls = 0;
    bool replayed = true; // false: counted and named only (one-sided, files, spawning, ...)
};
struct RecordedEnd {
    bool finalized = false;  // MPI_Finalize was reached; otherwise the program ended in another way: `how`
    std::string how;         // "MPI_Abort with code 3", "exit without MPI_Finalize", "signal 15"; empty: killed
    double seconds = 0;      // wall clock, from the return of MPI_Init to MPI_Finalize
    double mpi_seconds = 0;  // of it, inside MPI calls
    double volume = 0;       // counted between calls
    double cost_seconds = 0; // what tracing cost, taken off
    std::uint64_t peak_bytes = 0; // resident memory of the process
    std::vector<RecordedCall> calls;
    std::vector<std::string> notes; // what else should be known, a line each
};

struct RecordedRank {
    std::string file;
    RecordedBegin begin;
    RecordedEnd end;
    bool complete = false; // its end block is there
    std::uint64_t actions = 0;
    std::uint64_t stored_bytes = 0;   // in the file
    std::uint64_t unpacked_bytes = 0; // of its segments before compression
};

struct RecordedOptions {
    // Ranks that have no end block, or did not reach MPI_Finalize, are taken as far as they go: all ranks up to
    // the last collective operation of all that every rank has reached, so that a replay can carry it out.
    bool allow_truncated = false;
};

class RecordedTrace {
  public:
    // Reads the headers of all blocks. Throws InputError: a rank missing (named), two runs in one directory
    // (both named, with their start), a block damaged or missing (file, byte), a rank cut off (unless allowed).
    static RecordedTrace open(const std::string& path, const RecordedOptions& options = {});
    RecordedTrace(RecordedTrace&&) noexcept;
    RecordedTrace& operator=(RecordedTrace&&) noexcept;
    ~RecordedTrace();

    [[nodiscard]] std::uint32_t ranks() const;
    [[nodiscard]] const RecordedRank& rank(RankId rank) const;
    [[nodiscard]] const RecordedBegin& begin() const; // of rank 0
    // Each call gives the actions from the beginning; loops are expanded on the fly. The source must not
    // outlive the trace.
    [[nodiscard]] std::unique_ptr<ActionSource> source() const;
    // `copies` times as many ranks, of which rank r does what rank r modulo ranks() does.
    [[nodiscard]] std::unique_ptr<ActionSource> repeated_source(std::uint32_t copies) const;
    // The same with the times of each action (timed traces only): times(rank)[i] belongs to the i-th action of
    // the window that next(rank) gave last.
    class TimedSource : public ActionSource {
      public:
        [[nodiscard]] virtual std::span<const recorded::ActionTimes> times(RankId rank) const = 0;
    };
    [[nodiscard]] std::unique_ptr<TimedSource> timed_source() const;
    // What a user should know, a line each: calls that are not replayed, ranks that did not finish, ...
    [[nodiscard]] std::vector<std::string> notes() const;

  private:
    struct State;
    explicit RecordedTrace(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Whether `path` is one, complete or not. Reads a few bytes.
bool looks_recorded(const std::string& path);

} // namespace orrery
