// The MPI applications of examples/: run, traced, and what they counted themselves beside what their trace
// holds.
#pragma once

#include "cli/program_test.h"
#include "formats/ort/recorded_trace.h"
#include "workload/trace_communicators.h"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace orrery::test {

struct Tally {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    bool operator==(const Tally&) const = default;
    void add(std::uint64_t more) {
        ++calls;
        bytes += more;
    }
};

// What one rank sent and received, and its collective calls by name ("iallreduce").
struct RankCounts {
    Tally sent;
    Tally received;
    std::map<std::string, Tally> collectives;
    bool operator==(const RankCounts&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const RankCounts& counts) {
    out << fmt::format("sent {} ({} bytes), received {} ({} bytes)", counts.sent.calls, counts.sent.bytes,
                       counts.received.calls, counts.received.bytes);
    for (const auto& [name, tally] : counts.collectives)
        out << fmt::format(", {} {} ({} bytes)", tally.calls, name, tally.bytes);
    return out;
}

// What the ranks counted themselves: `prefix`.<rank>.json.
inline std::vector<RankCounts> own_counts(const std::filesystem::path& prefix, std::uint32_t ranks) {
    std::vector<RankCounts> counts(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::ifstream file(fmt::format("{}.{}.json", prefix.string(), rank));
        const auto json = nlohmann::json::parse(file);
        const auto tally = [](const nlohmann::json& from, const char* calls) {
            return Tally{from.at(calls).get<std::uint64_t>(), from.at("bytes").get<std::uint64_t>()};
        };
        counts[rank].sent = tally(json.at("sent"), "messages");
        counts[rank].received = tally(json.at("received"), "messages");
        for (const auto& [name, value] : json.at("collectives").items())
            counts[rank].collectives[name] = tally(value, "calls");
    }
    return counts;
}

// The bytes of a call as examples/common/count.h wants them.
inline Bytes bytes_of(const CollectiveCall& call) {
    switch (call.operation) {
    case Collective::gatherv:
    case Collective::allgatherv:
        return call.receive_counts.empty() ? call.bytes : call.receive_counts[call.rank];
    case Collective::scatterv: return call.send_counts.empty() ? call.bytes : call.send_counts[call.rank];
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
        return std::accumulate(call.send_counts.begin(), call.send_counts.end(), Bytes{0});
    default: return call.bytes;
    }
}

inline void count_action(const Action& action, std::span<const Bytes> list, RankCommunicators& communicators,
                         RankCounts& counts) {
    switch (action.kind) {
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend: return counts.sent.add(action.bytes);
    case ActionKind::recv:
    case ActionKind::irecv: return counts.received.add(action.bytes);
    case ActionKind::sendrecv: counts.sent.add(action.bytes); return counts.received.add(action.more_bytes);
    case ActionKind::collective: {
        const std::string name = (action.nonblocking ? "i" : "") + std::string(name_of(action.collective));
        return counts.collectives[name].add(bytes_of(communicators.call(action, list)));
    }
    default: return;
    }
}

// A trace as far as it must be the same for every run: all but the volumes of computation, an action a line.
struct Recorded {
    std::vector<RankCounts> counts;
    std::vector<std::vector<std::string>> communication;
    std::vector<double> volumes;
};

inline Recorded read_recorded(const std::filesystem::path& path) {
    const RecordedTrace trace = RecordedTrace::open(path.string());
    const auto first = trace.source();
    const TraceCommunicators communicators(*first);
    const auto source = trace.source();
    Recorded out{std::vector<RankCounts>(trace.ranks()), std::vector<std::vector<std::string>>(trace.ranks()),
                 std::vector<double>(trace.ranks())};
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        RankCommunicators mine(communicators, RankId{rank}, source->file(RankId{rank}));
        for (std::span<const Action> window; !(window = source->next(RankId{rank})).empty();) {
            for (const Action& action : window) {
                const std::span<const Bytes> list = source->counts(RankId{rank}, action);
                count_action(action, list, mine, out.counts[rank]);
                mine.pass(action, list);
                if (action.kind == ActionKind::compute) {
                    out.volumes[rank] += action.volume;
                    continue;
                }
                out.communication[rank].push_back(fmt::format(
                    "kind {} {} {} comm {} peer {} {} tag {} request {} element {} bytes {} {} [{}]",
                    static_cast<int>(action.kind), name_of(action.collective), action.nonblocking, action.comm,
                    action.peer, action.other, action.tag, action.request, action.element, action.bytes,
                    action.more_bytes, fmt::join(list, " ")));
            }
        }
    }
    return out;
}

} // namespace orrery::test
