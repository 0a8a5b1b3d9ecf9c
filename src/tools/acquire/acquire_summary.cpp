// What `orrery trace` says of the trace that it has made.
#include "engine/time.h"
#include "engine/units.h"
#include "observe/json_text.h"
#include "tools/acquire/acquire.h"
#include "tools/acquire/mpirun.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace orrery {

namespace {

struct AcquiredTotals {
    std::uint64_t actions = 0;
    std::uint64_t stored = 0;   // bytes in files
    std::uint64_t unpacked = 0; // of segments, before compression
    double seconds = 0;         // longest rank
    double rank_seconds = 0;    // all together
    double mpi_seconds = 0;
    double cost_seconds = 0;
    std::uint64_t peak_bytes = 0; // largest rank
    std::uint32_t complete = 0;
    std::uint32_t finalized = 0;
    std::set<std::string> hosts;
};

AcquiredTotals add_up(const RecordedTrace& trace) {
    AcquiredTotals out;
    for (std::uint32_t i = 0; i < trace.ranks(); ++i) {
        const RecordedRank& rank = trace.rank(RankId{i});
        out.actions += rank.actions;
        out.stored += rank.stored_bytes;
        out.unpacked += rank.unpacked_bytes;
        out.seconds = std::max(out.seconds, rank.end.seconds);
        out.rank_seconds += rank.end.seconds;
        out.mpi_seconds += rank.end.mpi_seconds;
        out.cost_seconds += rank.end.cost_seconds;
        out.peak_bytes = std::max(out.peak_bytes, rank.end.peak_bytes);
        out.complete += rank.complete ? 1 : 0;
        out.finalized += rank.end.finalized ? 1 : 0;
        if (!rank.begin.host.empty()) out.hosts.insert(rank.begin.host);
    }
    return out;
}

double share_of_time(double part, double whole) { return whole > 0 ? part / whole : 0; }
double per_action(std::uint64_t bytes, std::uint64_t actions) {
    return share_of_time(static_cast<double>(bytes), static_cast<double>(actions));
}
std::string duration_words(double seconds) { return format_picoseconds(seconds * 1e12); }

} // namespace

std::string summary_words(const Acquired& acquired) {
    const RecordedTrace& trace = *acquired.trace;
    const AcquiredTotals totals = add_up(trace);
    const RecordedBegin& begin = trace.begin();
    std::string out = fmt::format("orrery: {}: trace of {} rank{} on {} host{}, {}\n", acquired.path,
                                  trace.ranks(), trace.ranks() == 1 ? "" : "s", totals.hosts.size(),
                                  totals.hosts.size() == 1 ? "" : "s", begin.mpi);
    const auto line = [&out](const char* name, const std::string& words) {
        out += fmt::format("  {:<10} {}\n", name, words);
    };
    line("actions",
         fmt::format("{} in {} ({:.2f} bytes each, {:.2f} before compression){}", format_count(totals.actions),
                     format_bytes(totals.stored), per_action(totals.stored, totals.actions),
                     per_action(totals.unpacked, totals.actions), begin.timed ? ", with times" : ""));
    line("counted", begin.counter == "cpu-time" ? "CPU time between calls" : begin.counter + " between calls");
    if (totals.complete > 0) { // of those that could tell
        line("run", fmt::format("{}, {:.1f} % of it in MPI; tracing cost {:.2f} %, taken off",
                                duration_words(totals.seconds),
                                100 * share_of_time(totals.mpi_seconds, totals.rank_seconds),
                                100 * share_of_time(totals.cost_seconds, totals.rank_seconds)));
        line("memory", fmt::format("{} at most per rank", format_bytes(totals.peak_bytes)));
    }
    for (const std::string& note : trace.notes()) line("note", note);
    line("next", fmt::format("orrery replay {}{} --on MACHINE", shell_words({acquired.path}),
                             acquired.cut_off ? " --allow-truncated" : ""));
    return out;
}

std::string summary_json(const Acquired& acquired) {
    nlohmann::ordered_json out;
    out["trace"] = acquired.path;
    out["mpi"] = name_of(acquired.mpi);
    out["mpirun"] = acquired.run.command_line;
    out["exit_code"] = acquired.run.exit_code;
    out["seconds"] = acquired.run.seconds;
    out["problem"] = acquired.problem;
    out["truncated"] = acquired.cut_off;
    if (acquired.trace) {
        const RecordedTrace& trace = *acquired.trace;
        const AcquiredTotals totals = add_up(trace);
        const RecordedBegin& begin = trace.begin();
        out["run"] = fmt::format("{:016x}", begin.run);
        out["ranks"] = trace.ranks();
        out["ranks_complete"] = totals.complete;
        out["ranks_finalized"] = totals.finalized;
        out["hosts"] = totals.hosts;
        out["actions"] = totals.actions;
        out["stored_bytes"] = totals.stored;
        out["unpacked_bytes"] = totals.unpacked;
        out["counter"] = begin.counter;
        out["reference_per_second"] = begin.reference;
        out["timed"] = begin.timed;
        out["application_seconds"] = totals.seconds;
        out["mpi_share"] = share_of_time(totals.mpi_seconds, totals.rank_seconds);
        out["tracing_share"] = share_of_time(totals.cost_seconds, totals.rank_seconds);
        out["peak_rank_bytes"] = totals.peak_bytes;
        out["notes"] = trace.notes();
    }
    return json_text(out, 2) + "\n";
}

} // namespace orrery
