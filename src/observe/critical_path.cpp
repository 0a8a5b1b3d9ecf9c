#include "observe/critical_path.h"

#include <algorithm>

namespace orrery {

namespace {

// The first byte travels with the message; a message without bytes has no cost per byte.
std::uint64_t further_bytes(const Activity& activity) {
    return activity.control || activity.size == 0 ? 0 : activity.size - 1;
}

bool is_message(const Activity& activity) {
    return activity.kind == ActivityKind::send || activity.kind == ActivityKind::recv;
}

// Which cost per byte holds the receiver's CPU. Decided on the rounded times, as the simulator does.
bool gap_outlasts_overhead(std::uint64_t further, const LogGOPS& parameters) {
    return per_byte(further + 1, parameters.G) > per_byte(further + 1, parameters.O);
}

// Where on the clock `activity` lets go in the way that `how` says.
Time release(const Activity& activity, Cause how, const LogGOPS& parameters) {
    switch (how) {
    case Cause::end: return activity.end;
    case Cause::port: return activity.port_end;
    case Cause::arrival: return activity.start + parameters.o + parameters.L;
    case Cause::start:
    case Cause::partner:
    case Cause::none: break;
    }
    return activity.start;
}

// Keeps the `path_top` largest by `size`, first come first among equals.
template <typename T, typename Size> void keep_largest(std::vector<T>& top, const T& candidate, Size size) {
    if (size(candidate) <= Time::zero()) return;
    const auto place = std::upper_bound(top.begin(), top.end(), candidate,
                                        [&](const T& a, const T& b) { return size(a) > size(b); });
    if (place == top.end() && top.size() == path_top) return;
    top.insert(place, candidate);
    if (top.size() > path_top) top.pop_back();
}

// The path's segments cut into stays; the flight of a message belongs to no rank and ends a stay.
std::vector<PathStay> stays_of(const CriticalPath& path, const Recording& recording,
                               const LogGOPS& parameters) {
    std::vector<PathStay> stays;
    for (const PathSegment& segment : path.segments) {
        const Activity& activity = recording.activities[segment.activity];
        const bool leaves = segment.how == Cause::arrival;
        const Time to = leaves ? segment.to - parameters.L : segment.to;
        if (stays.empty() || stays.back().rank != activity.rank || stays.back().to != segment.from) {
            stays.push_back({activity.rank, segment.from, segment.from, 0});
        }
        stays.back().to = to;
        ++stays.back().steps;
    }
    return stays;
}

void find_top(CriticalPath& path, const Recording& recording, const LogGOPS& parameters) {
    std::vector<PathStay> stays = stays_of(path, recording, parameters);
    for (const PathStay& stay : stays) {
        keep_largest(path.top_stays, stay, [](const PathStay& s) { return s.to - s.from; });
    }
    std::stable_sort(stays.begin(), stays.end(),
                     [](const PathStay& a, const PathStay& b) { return a.rank < b.rank; });
    for (std::size_t at = 0; at < stays.size();) {
        PathRank rank{stays[at].rank, Time::zero(), 0};
        for (; at < stays.size() && stays[at].rank == rank.rank; ++at) {
            rank.time += stays[at].to - stays[at].from;
            ++rank.stays;
        }
        ++path.path_ranks;
        (rank.rank == path.rank ? path.on_rank : path.on_others) += rank.time;
        keep_largest(path.top_ranks, rank, [](const PathRank& r) { return r.time; });
    }
    for (const PathSegment& segment : path.segments) {
        const Activity& a = recording.activities[segment.activity];
        keep_largest(path.top_operations,
                     {a.rank, a.op, a.kind, segment.how, a.peer, a.size, segment.from, segment.to},
                     [](const PathOperation& o) { return o.to - o.from; });
    }
}

} // namespace

PathParts& PathParts::operator+=(const PathParts& more) {
    L += more.L;
    o += more.o;
    O += more.O;
    g += more.g;
    G += more.G;
    compute += more.compute;
    noise += more.noise;
    other += more.other;
    return *this;
}

PathCounts& PathCounts::operator+=(const PathCounts& more) {
    L += more.L;
    o += more.o;
    g += more.g;
    O += more.O;
    G += more.G;
    return *this;
}

double CriticalPath::share(Time part) const {
    return time == Time::zero() ? 0 : part.picoseconds() / time.picoseconds();
}

PathCounts counts_of(const Activity& activity, Cause how, const LogGOPS& parameters) {
    PathCounts counts;
    const std::uint64_t bytes = further_bytes(activity);
    switch (how) {
    case Cause::end:
        if (!is_message(activity)) break;
        counts.o = 1;
        if (activity.kind == ActivityKind::recv && gap_outlasts_overhead(bytes, parameters)) {
            counts.G = bytes;
        } else {
            counts.O = bytes;
        }
        break;
    case Cause::port:
        counts.g = 1;
        counts.G = bytes;
        break;
    case Cause::arrival: // the data leaves after o: the sender's O is not on the path
        counts.o = 1;
        counts.L = 1;
        break;
    case Cause::start:
    case Cause::partner:
    case Cause::none: break;
    }
    return counts;
}

PathParts made_of(const Activity& activity, const PathSegment& segment, const LogGOPS& parameters) {
    const PathCounts counts = counts_of(activity, segment.how, parameters);
    PathParts parts;
    parts.L = static_cast<std::int64_t>(counts.L) * parameters.L;
    parts.o = static_cast<std::int64_t>(counts.o) * parameters.o;
    parts.g = static_cast<std::int64_t>(counts.g) * parameters.g;
    parts.O = per_byte(counts.O + 1, parameters.O);
    parts.G = per_byte(counts.G + 1, parameters.G);
    if (segment.how == Cause::end) {
        parts.noise = activity.noise;
        if (activity.kind == ActivityKind::calc) {
            parts.compute = Time::ps(static_cast<std::int64_t>(activity.size));
        }
    }
    parts.other = segment.to - segment.from - parts.total();
    return parts;
}

CriticalPath critical_path(const Recording& recording, const LogGOPS& parameters) {
    CriticalPath path;
    path.ranks = recording.ranks;
    path.activities = recording.activities.size();
    const auto last = std::max_element(recording.finish.begin(), recording.finish.end());
    if (last == recording.finish.end()) {
        path.consistent = true;
        return path;
    }
    path.time = *last;
    path.rank = static_cast<std::uint32_t>(last - recording.finish.begin());
    path.consistent = true;

    Time at = path.time;
    std::uint32_t index = recording.last[path.rank];
    Cause how = recording.last_how[path.rank];
    std::uint32_t rank = path.rank;
    while (index != no_activity && how != Cause::none) {
        const Activity& activity = recording.activities[index];
        if (release(activity, how, parameters) != at) path.consistent = false;
        path.segments.push_back({activity.start, at, index, how});
        if (activity.rank != rank) ++path.crossings;
        const PathParts parts = made_of(activity, path.segments.back(), parameters);
        if (parts.other != Time::zero()) path.consistent = false;
        path.parts += parts;
        path.counts += counts_of(activity, how, parameters);
        if (how == Cause::arrival) path.in_flight += parameters.L;
        at = activity.start;
        rank = activity.rank;
        how = activity.how;
        // Causes lie earlier in the log, so the walk ends.
        index = activity.cause < index ? activity.cause : no_activity;
    }
    if (at != Time::zero()) {
        path.parts.other += at;
        path.on_rank += at;
        path.consistent = false;
    }
    std::reverse(path.segments.begin(), path.segments.end());
    find_top(path, recording, parameters);
    return path;
}

} // namespace orrery
