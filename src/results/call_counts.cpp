#include "results/call_counts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery {

CallProfile profile_row(std::string call, CallKind kind, const CallCount& count,
                        const std::vector<CollectiveProfile>& collectives) {
    CallProfile row{std::move(call), kind, count.calls, count.bytes, count.ticks * Time::tick_ps() * 1e-12};
    for (const CollectiveProfile& each : collectives) {
        if (each.call == row.call) row.bytes += each.bytes;
    }
    return row;
}

std::vector<CallProfile> profile_of(const CallCounts& counts,
                                    const std::vector<CollectiveProfile>& collectives) {
    std::vector<CallProfile> profile;
    for (std::size_t number = 0; number < counts.size(); ++number) {
        const CallCount& count = counts[number];
        if (count.calls == 0 && count.ticks == 0) continue;
        profile.push_back(profile_row(call_name(number), call_kind(number), count, collectives));
    }
    sort_profile(profile);
    return profile;
}

void sort_profile(std::vector<CallProfile>& profile) {
    std::sort(profile.begin(), profile.end(), [](const CallProfile& a, const CallProfile& b) {
        return std::tie(b.seconds, a.call) < std::tie(a.seconds, b.call);
    });
}

void sort_profile(std::vector<CollectiveProfile>& profile) {
    std::sort(profile.begin(), profile.end(), [](const CollectiveProfile& a, const CollectiveProfile& b) {
        return std::tie(b.seconds, a.call, a.algorithm, a.reason) <
               std::tie(a.seconds, b.call, b.algorithm, b.reason);
    });
}

} // namespace orrery
