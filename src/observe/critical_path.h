// The critical path of a run: the one chain of activities, each started by the one before it, that leads from
// time 0 to the end of the run. What it is made of is what the run time is made of.
//
// The sensitivities come from the same walk: the path holds a whole number of latencies, overheads and gaps
// and a whole number of bytes, and these are the derivatives of the run time T by L, o, g, O and G.
//
// Validity: a derivative at this point, with the order of events, the matches and the OS noise as they were in
// this run. T is the largest over many paths, so it has kinks: where two paths tie, the slope to the left
// differs from the slope to the right, and the walk gives that of the path the simulator recorded. A large
// change of a parameter can make another path critical; then T changes more than a derivative says if the
// parameter grows, and less if it shrinks. S has no derivative: it switches between protocols.
#pragma once

#include "network/loggops/parameters.h"
#include "observe/summary_lines.h"
#include "results/recording.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

// A stretch of time, split by what it was spent on.
struct PathParts {
    Time L;       // on the wire
    Time o;       // overhead per message, of sender or receiver
    Time O;       // overhead per byte, of sender or receiver
    Time g;       // waiting for a NIC: gap per message
    Time G;       // waiting for a NIC, or for the bytes of a message to come in: gap per byte
    Time compute; // calc operations
    Time noise;   // OS noise within any of these
    Time other;   // not explained by the model: zero unless the recording is wrong

    [[nodiscard]] Time total() const { return L + o + O + g + G + compute + noise + other; }
    PathParts& operator+=(const PathParts& more);
    bool operator==(const PathParts&) const = default;
};

// How often each parameter is on the path: dT/dL, dT/do, dT/dg as counts, dT/dO and dT/dG as bytes.
struct PathCounts {
    std::uint64_t L = 0;
    std::uint64_t o = 0;
    std::uint64_t g = 0;
    std::uint64_t O = 0;
    std::uint64_t G = 0;

    PathCounts& operator+=(const PathCounts& more);
    bool operator==(const PathCounts&) const = default;
};

// One step of the path, in the order of time. It covers [from, to): from the start of `activity` to the moment
// at which `activity`, in the way that `how` says, let the next step start. Steps without duration are kept.
struct PathSegment {
    Time from;
    Time to;
    std::uint32_t activity = no_activity; // in Recording::activities
    Cause how = Cause::end;
};

// A run of steps on one rank.
struct PathStay {
    std::uint32_t rank = 0;
    Time from;
    Time to;
    std::uint64_t steps = 0;
};

// The part of the path on one rank.
struct PathRank {
    std::uint32_t rank = 0;
    Time time;
    std::uint64_t stays = 0;
};

// A step told without the recording.
struct PathOperation {
    std::uint32_t rank = 0;
    std::uint32_t op = 0;
    ActivityKind kind = ActivityKind::calc;
    Cause how = Cause::end;
    std::uint32_t peer = 0;
    std::uint64_t size = 0; // bytes; calc: picoseconds
    Time from;
    Time to;
};

struct CriticalPath {
    Time time;                    // the run time
    std::uint32_t rank = 0;       // the first rank that finishes then: the path ends on it
    std::uint32_t ranks = 0;      // ranks of the run
    std::uint64_t activities = 0; // of the recording
    std::uint64_t crossings = 0;  // steps from one rank to another
    PathParts parts;
    PathCounts counts;

    // Where the path was; the three add up to `time`. Seen from `rank`, all but the first is waiting for
    // partners.
    Time on_rank;
    Time on_others;
    Time in_flight;

    std::vector<PathSegment> segments; // in the order of time

    // The largest contributors, largest first; at most `path_top` of each.
    std::vector<PathRank> top_ranks;
    std::vector<PathStay> top_stays;
    std::vector<PathOperation> top_operations;
    std::uint64_t path_ranks = 0; // ranks that the path visits

    // Every step starts where the one before it ends, the first at time 0, and the model explains all of it.
    bool consistent = false;

    [[nodiscard]] Time waiting_for_partners() const { return on_others + in_flight; }
    // The share of the run time; for a parameter also the percentage that 1 % more of it costs.
    [[nodiscard]] double share(Time part) const;
};

inline constexpr std::size_t path_top = 5;

// O(steps of the path) in time and memory.
CriticalPath critical_path(const Recording& recording, const LogGOPS& parameters);

// What one step is made of, and which parameters it counts. Where the larger of two costs per byte holds the
// CPU of a receiver, the larger one gets all of it; if they are equal, O does.
PathParts made_of(const Activity& activity, const PathSegment& segment, const LogGOPS& parameters);
PathCounts counts_of(const Activity& activity, Cause how, const LogGOPS& parameters);

// For people, at most ten lines (more where they are wrapped).
std::string summary(const CriticalPath& path, const SummaryStyle& style = {});

void to_json(nlohmann::json& json, const CriticalPath& path);

} // namespace orrery
