// The second stage of a search with a trace: the trace itself is replayed under the best candidates.
//
// The first stage starts all messages at once. It knows neither computation nor the order of messages, so it
// finds mappings that avoid traffic, but not by how much they help. The replay knows, and costs more; so only
// the best few of the first stage are replayed, and those that are always of interest (block, roundrobin, the
// user's own).
#pragma once

#include "tools/mapping/search.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace orrery {

struct ReplayBestOptions {
    // Of the screening's order, in addition to those that are always replayed; equal mappings under two names
    // count once.
    std::uint32_t best = 5;
    std::uint32_t threads = 1;
    std::function<Time(const std::vector<HostId>& hosts)> replay; // from any thread, several at a time
    TaskCounter progress;
};

// Fills in `replayed` and sorts anew: those that were replayed first, the fastest of them first; then the
// others as they were. Equal times: block first, then as screened. Throws what `replay` throws.
void replay_best(std::span<const CandidateMapping> candidates, const ReplayBestOptions& options,
                 std::vector<MappingResult>& results);

} // namespace orrery
