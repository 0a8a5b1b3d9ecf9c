#include "simulation/schedule_profile.h"

#include "results/call_counts.h"

#include <array>

namespace orrery {

void add_schedule_profile(ReplayPrediction& prediction, const Schedule& schedule) {
    const std::uint64_t sends = schedule.sends();
    const std::uint64_t receives = schedule.header().recvs;
    const std::array<CallCount, call_kinds> counts{{
        {schedule.operations() - sends - receives, 0, 0},
        {sends, prediction.base.bytes, 0},
        {receives, 0, 0},
    }};
    constexpr std::array<const char*, call_kinds> names{"compute", "send", "recv", "wait", "", "noise"};
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
        CallCount count = counts[kind];
        for (const CallTimes& rank : prediction.calls)
            count.ticks += static_cast<double>(rank.by_kind[kind].ticks());
        if (count.calls == 0 && count.ticks == 0) continue;
        prediction.profile.push_back(profile_row(names[kind], static_cast<CallKind>(kind), count, {}));
    }
    sort_profile(prediction.profile);
}

} // namespace orrery
