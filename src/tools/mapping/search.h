// Tries mappings side by side: how long one communication operation takes under each.
#pragma once

#include "engine/in_threads.h"
#include "network/network.h"
#include "tools/mapping/candidates.h"
#include "tools/mapping/pattern.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery {

struct MappingResult {
    std::size_t candidate = 0; // its number
    std::string name;
    std::size_t screening_place = 0; // 1: the least `time`
    Time time;                       // the estimate: from the start of all messages to the last arrival
    std::optional<Time> replayed;    // of the trace itself (replay_best); nothing: not replayed
    double hop_bytes = 0;            // bytes times links passed, of messages between hosts
    double mean_hops = 0;            // per byte of these
    double local = 0;                // the part of all bytes that stays within hosts
    std::string worst_link;
    Time worst_link_time; // how long its bytes take at its bandwidth: no network can be faster
};

struct SearchOptions {
    std::uint32_t threads = 1;
    std::function<std::unique_ptr<Network>()> network; // a new one for each mapping
    TaskCounter progress;
};

// The time of the pattern under one mapping, and what passes the links.
MappingResult evaluate(const Platform& platform, const CommunicationPattern& pattern,
                       const std::vector<HostId>& hosts, Network& network);

// One result per candidate, the fastest first; equal ones by fewer hop-bytes, then in the order of the
// candidates. Throws what a candidate throws.
std::vector<MappingResult> search_mappings(const Platform& platform, const CommunicationPattern& pattern,
                                           std::span<const CandidateMapping> candidates,
                                           const SearchOptions& options);

} // namespace orrery
