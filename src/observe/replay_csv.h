// A table of a replay's results as CSV: times in seconds, exact to the picosecond, one header line.
#pragma once

#include "results/replay_prediction.h"

#include <string>

namespace orrery {

enum class ResultTable { ranks, links, sizes, calls, collectives };
void write_table(const ReplayPrediction& prediction, ResultTable table, const std::string& path);

// The same; the end of the name chooses the table:
//   x.links.csv   link, bytes, use, blocked_s           the busiest links; head-of-line blocking of packets
//   x.sizes.csv   from_bytes, to_bytes, messages        messages by size
//   x.csv         rank, job, finish_s, compute_s, ...   a line per rank
//   x.calls.csv   call, total_s, mean_s, longest_s, ... a line per kind of call
//   x.collectives.csv   call, algorithm, reason, ...    a line per collective, algorithm and reason
// Throws UsageError for any other name.
void write_replay_csv(const ReplayPrediction& prediction, const std::string& path);

// Throws the same, before a long run rather than after it.
void check_replay_csv_name(const std::string& path);

} // namespace orrery
