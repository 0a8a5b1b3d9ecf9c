// The critical path of a run, from its event log: the one chain of events, each let go by the one before it,
// that leads from time 0 to the end of the run. What it is made of is what the run time is made of. Traces,
// running programs and schedules on every network have it; schedules on loggops have critical_path.h.
//
// Of a message on its way the network says what it would take alone: latency, transmission (its bytes over the
// slowest link of its route); the rest it has waited for others (contention). It also says how that follows the
// links, by classes of links that are alike (Topology::link_class).
//
// Validity of the sensitivities: they are derivatives at this point, with the order of events, matches and
// noise as they were. The run time is the largest over many paths, so it has kinks, where the slope of the path
// that was recorded lies between that to the left and that to the right. Where nothing on the path waits for
// others they are what a second run gives. With contention, shared cores or noise they are first order
// (EventPath::first_order): what is waited for others is left as it is, though more bandwidth makes that
// shorter, too.
#pragma once

#include "network/loggops/parameters.h"
#include "network/network.h"
#include "observe/critical_path.h"
#include "results/event_log.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

// A stretch of time, split by what it was spent on.
struct EventPathParts {
    Time compute;
    Time core_wait;    // for a core of a host that has more ranks than cores (through_holders: what those
                       // computed that had it)
    Time noise;        // OS noise
    Time overhead;     // CPU time of sending, receiving and other calls
    Time latency;      // of messages, of their requests and clear-to-sends
    Time transmission; // of their bytes
    Time contention;   // waiting for other messages in the network (likewise: their bytes)
    Time interface;    // loggops: for a network interface
    Time idle;         // pauses of the application, late starts
    Time other;        // not explained: zero unless the log is wrong

    [[nodiscard]] Time total() const;
    bool operator==(const EventPathParts&) const = default;
};

// One step of the path: the part of `event` in [from, to).
struct EventPathStep {
    std::uint32_t event = no_event;
    EventKind kind = EventKind::compute;
    std::uint32_t rank = 0;
    std::uint32_t peer = 0; // of what belongs to a message
    Bytes bytes = 0;
    Time from;
    Time to;
};

// What messages on the path took for the sake of one link, or of all links of a class: its latency, and, where
// it is the slowest of their routes, their bytes and waiting for others.
struct EventPathLink {
    std::string name;
    Time latency;
    Time transmission;
    Time contention;
    std::uint64_t messages = 0; // whose route holds it

    [[nodiscard]] Time total() const { return latency + transmission + contention; }
};

// Derivatives of the run time: 1 % less latency saves 1 % of `latency`.
struct EventPathSlopes {
    Time latency; // with what follows it of transmissions that a window bounds
    // What more saves is less than what less costs where links of another class are as slow.
    Time more_bandwidth;
    Time less_bandwidth;
};

struct EventPathLinkClass {
    EventPathLink time;
    EventPathSlopes slopes;
};

struct EventPath {
    Time time;                   // the run time
    std::uint32_t rank = 0;      // the first rank that ends then: the path ends on it
    std::uint32_t ranks = 0;     // ranks of the run
    std::uint64_t events = 0;    // of the log
    std::uint64_t steps = 0;     // of the path
    std::uint64_t crossings = 0; // steps from one rank to another
    EventPathParts parts;
    // On loggops: the same time as the parameters explain it, and how often each is on the path
    // (critical_path.h).
    std::optional<PathParts> loggops;
    PathCounts counts;

    // Who waited for a link, a bus or a core waited for what held it, and that is on the path instead of the
    // waiting: contention and core_wait then grow and shrink with bandwidths and speeds as all else does, and
    // the sensitivities are exact as long as the order of events is the same.
    bool through_holders = false;

    // Where the path was; the three add up to `time`. Seen from `rank`, all but the first is waiting for
    // partners.
    Time on_rank;
    Time on_others;
    Time in_flight;

    // The largest contributors, largest first; at most `path_top` of each.
    std::vector<PathRank> top_ranks;
    std::vector<PathStay> top_stays;
    std::vector<EventPathStep> top_operations;
    std::vector<EventPathLink> top_links;
    std::vector<EventPathLinkClass> link_classes; // all on the path, the most time first
    // What of it follows the latency, or the bandwidth, of all links together.
    Time link_latency;
    Time link_transmission;
    std::uint64_t path_ranks = 0; // ranks that the path visits

    // Something on the path waits for others, so that a second run may give other derivatives.
    bool first_order = false;
    // Every step starts where the one before it ends, the first at time 0, and all of it is explained.
    bool consistent = false;

    [[nodiscard]] Time waiting_for_partners() const { return on_others + in_flight; }
    // The share of the run time: what 1 % less of it gains, in percent.
    [[nodiscard]] double share(Time part) const;
};

struct EventPathContext {
    Network* network = nullptr;       // over which the messages went
    const LogGOPS* loggops = nullptr; // its parameters, if it is that
    std::function<std::string(std::uint32_t rail, LinkId link)> link_name;
    std::vector<EventPathStep>* steps = nullptr; // if wanted: all steps, last first
    std::function<std::string(std::uint32_t rail, LinkId link)> link_class = {}; // if none: all are alike
    // Of a log that leads through holders: what a message or collective waited for, a link or a bus, in words.
    std::function<std::string(EventCause what, const LoggedEvent& waited)> resource_name = {};
};

// One pass over the path, from its end; memory: one number per rank and per link on it.
EventPath event_path(const EventLog& log, const EventPathContext& context);

// For people, at most twelve lines, if they are long enough.
std::string summary(const EventPath& path, const SummaryStyle& style = {});

void to_json(nlohmann::json& json, const EventPath& path);

} // namespace orrery
