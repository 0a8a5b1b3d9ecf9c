#include "tools/mapping/replay_best.h"

#include <algorithm>
#include <utility>

namespace orrery {

namespace {

struct ReplayedGroup {
    std::vector<HostId> hosts;
    std::vector<std::size_t> results; // whose mapping is this one, under whatever name
    Time time;
};

// In the order of the screening, so that the groups are the same for any number of threads.
std::vector<ReplayedGroup> choose_groups(std::span<const CandidateMapping> candidates, std::uint32_t best,
                                         const std::vector<MappingResult>& results) {
    std::vector<ReplayedGroup> groups;
    std::uint32_t chosen = 0; // by the screening
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CandidateMapping& candidate = candidates[results[i].candidate];
        const bool wanted = chosen < best || candidate.always_replayed;
        const bool same_estimate = std::any_of(groups.begin(), groups.end(), [&](const ReplayedGroup& each) {
            const MappingResult& first = results[each.results.front()];
            return first.time == results[i].time && first.hop_bytes == results[i].hop_bytes;
        });
        if (!wanted && !same_estimate) continue;
        std::vector<HostId> hosts = candidate.make();
        const auto same = std::find_if(groups.begin(), groups.end(),
                                       [&](const ReplayedGroup& each) { return each.hosts == hosts; });
        if (same != groups.end()) {
            same->results.push_back(i);
            continue;
        }
        if (!wanted) continue;
        groups.push_back({std::move(hosts), {i}, {}});
        if (!candidate.always_replayed) ++chosen;
    }
    return groups;
}

} // namespace

void replay_best(std::span<const CandidateMapping> candidates, const ReplayBestOptions& options,
                 std::vector<MappingResult>& results) {
    std::vector<ReplayedGroup> groups = choose_groups(candidates, options.best, results);
    run_in_threads(
        groups.size(), options.threads, "replays",
        [&](std::size_t i) { groups[i].time = options.replay(groups[i].hosts); }, options.progress);
    for (const ReplayedGroup& group : groups) {
        for (const std::size_t i : group.results) results[i].replayed = group.time;
    }
    std::stable_sort(results.begin(), results.end(), [](const MappingResult& a, const MappingResult& b) {
        if (a.replayed.has_value() != b.replayed.has_value()) return a.replayed.has_value();
        if (!a.replayed || *a.replayed == *b.replayed)
            return a.replayed && a.name == block_mapping_name && b.name != block_mapping_name;
        return *a.replayed < *b.replayed;
    });
}

} // namespace orrery
