// A trace written by LogGOPSim's tracing library liballprof, as a program for as many ranks as it was traced
// with or for a multiple of that.
//
// The trace is read once; after that the program of any rank can be had on its own, at about 10 ns per
// operation. With k p ranks instead of the p of the trace (section 4.2.3 of the LogGOPSim paper), rank r + j p
// does what rank r did, with peers r' + j p in place of r'; collectives over all ranks are made anew for k p
// ranks; collectives over some of the ranks are copied like point-to-point messages. What this cannot see: how
// load imbalance, message sizes and the number of neighbours change with the number of ranks.
#pragma once

#include "engine/ids.h"
#include "formats/allprof/options.h"
#include "formats/allprof/record.h"
#include "workload/graph.h"
#include "workload/sink.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery {

// What was found, and what was assumed or left out: nothing is dropped without a word.
struct AllprofSummary {
    std::uint32_t ranks = 0;
    std::string pattern;              // "run/pmpi-trace-rank-*.txt"
    std::vector<std::string> ignored; // files beside the trace
    allprof::Tally tally;             // of all ranks
    std::vector<allprof::Skipped> skipped;

    // One line each; `notes` is empty for a trace that leaves nothing open.
    [[nodiscard]] std::string headline() const;
    [[nodiscard]] std::vector<std::string> notes() const;
};

class AllprofTrace {
  public:
    // `path`: a directory with one trace, or the file of any rank. Throws InputError with file, line and
    // column, and UsageError for options that mean nothing.
    static AllprofTrace open(const std::string& path, const AllprofOptions& options = {});

    // The same over the contents of the files of rank 0, 1, ...; in messages they are rank-0, rank-1, ...
    static AllprofTrace from_memory(std::span<const std::string> files, const AllprofOptions& options = {});

    [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(ranks_.size()); }
    [[nodiscard]] const AllprofSummary& summary() const { return summary_; }

    // Throws UsageError, naming the numbers next to it, unless `total_ranks` is a multiple of ranks().
    void check_total(std::uint32_t total_ranks) const;
    // The program of one rank of `total_ranks`, which has passed check_total, in `out` (cleared first). May be
    // called from several threads at once. The graph has no cycle and nothing in it is out of range.
    void program(RankId rank, std::uint32_t total_ranks, RankGraph& out) const;

  private:
    explicit AllprofTrace(const AllprofOptions& options) : options_(options) {}
    friend class AllprofProgram;
    void link(); // the records of all ranks have been read

    AllprofOptions options_;
    AllprofSummary summary_;
    std::vector<allprof::RankRecords> ranks_;
    std::vector<std::vector<std::uint32_t>> communicators_; // members
    std::vector<Bytes> blocks_;                             // sizes for the v-variants of collectives
};

// Rank after rank, within the memory of the trace and of the largest rank.
void generate(const AllprofTrace& trace, std::uint32_t total_ranks, ScheduleSink& sink);

} // namespace orrery
