// The answer of a replay: the prediction, and where each rank spent its time, by kind of call.
#pragma once

#include "engine/ids.h"
#include "results/network_report.h"
#include "results/prediction.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

// Where a rank's time went. All of it: the sum over kinds is the rank's run time.
enum class CallKind : std::uint8_t { compute, send, receive, wait, collective, other };
inline constexpr std::size_t call_kinds = 6;
inline constexpr std::array<const char*, call_kinds> call_kind_names{"compute", "send",       "receive",
                                                                     "wait",    "collective", "other"};

struct CallTimes {
    std::array<Time, call_kinds> by_kind{};
    Time& operator[](CallKind kind) { return by_kind[static_cast<std::size_t>(kind)]; }
    Time operator[](CallKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
};

struct JobTimes {
    std::uint32_t first_rank = 0;
    std::uint32_t ranks = 0;
    Time start;
    Time finish;
};

// The efficiencies of parallel programs as the POP methodology defines them; each a factor between 0 and 1.
struct Efficiencies {
    double parallel = 0;      // mean computation / run time = load balance x communication
    double load_balance = 0;  // mean / longest computation of a rank
    double communication = 0; // longest computation / run time = serialisation x transfer
    double serialisation = 0; // longest computation / run time on an ideal network
    double transfer = 0;      // run time on an ideal network / run time
    bool with_ideal = false;  // the last two are known
};

// What the ranks together spent on one kind of call.
struct CallProfile {
    std::string call; // "send", "waitall", "allreduce", "iallreduce"
    CallKind kind = CallKind::other;
    std::uint64_t calls = 0; // of all ranks
    Bytes bytes = 0;         // of the messages that they sent in it
    double seconds = 0;      // of all ranks, which may be longer than a Time
};

// What the ranks together spent on the collectives of one name that one algorithm did for one reason.
struct CollectiveProfile {
    std::string call;        // "allreduce", "iallreduce"
    std::string algorithm;   // as --collective takes it: "chain:segment=65536B"
    std::string reason;      // the rule or the setting that selected it
    std::uint64_t calls = 0; // of all ranks
    std::uint64_t messages = 0;
    Bytes bytes = 0;    // of these
    Bytes least = 0;    // size of a call, by which the algorithm is selected
    Bytes most = 0;     // the same
    double seconds = 0; // from the start on a rank to the end there, of all ranks
};

// What an emulated rank takes of this computer's memory at the end of the run, in bytes.
struct RankMemory {
    std::uint64_t variables = 0;  // global and static ones: the same for each
    std::uint64_t stack_mean = 0; // pages that it has touched
    std::uint64_t stack_most = 0;
    std::uint64_t heap_mean = 0; // of the most that the program's blocks took, and the emulator's for it
};

struct ReplayPrediction {
    Prediction base;
    std::vector<CallTimes> calls; // per rank
    std::vector<JobTimes> jobs;
    std::vector<CallProfile> profile;           // by call; what took longest first
    std::vector<CollectiveProfile> collectives; // likewise
    std::vector<LinkLoad> busiest;              // ten at most
    std::optional<PacketFigures> packets;       // of --network packet
    std::uint64_t point_to_point = 0;           // messages of the application itself, not of its collectives
    std::uint64_t point_to_point_bytes = 0;
    std::array<std::uint64_t, 65> by_size{}; // [k]: messages of 2^(k-1) to 2^k - 1 bytes
    double core_wait_seconds = 0;            // of all ranks: for a core of a host with more ranks than cores
    // [rail][link]: whether bytes passed it; empty of networks without links.
    std::vector<std::vector<bool>> crossed;
    std::vector<std::string> notes; // what the user should know
    Efficiencies efficiencies;
    std::optional<RankMemory> rank_memory; // of an emulated program
};

// From the times of the ranks; `ideal` is the run time on an ideal network, or zero if unknown.
Efficiencies efficiencies_of(const ReplayPrediction& prediction, Time ideal);

} // namespace orrery
