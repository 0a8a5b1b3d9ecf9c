#include "formats/ort/common_end.h"

#include <algorithm>
#include <limits>
#include <span>

namespace orrery::recorded {

namespace {

bool is_of_all(const Action& action) {
    return action.comm == world &&
           (action.kind == ActionKind::collective || action.kind == ActionKind::comm_dup ||
            action.kind == ActionKind::comm_split || is_fence(action));
}

} // namespace

CommonEnd find_common_end(ActionSource& first, ActionSource& again) {
    CommonEnd end;
    end.collectives = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t rank = 0; rank < first.ranks(); ++rank) {
        std::uint64_t reached = 0;
        for (std::span<const Action> window; !(window = first.next(RankId{rank})).empty();)
            reached += static_cast<std::uint64_t>(std::count_if(window.begin(), window.end(), is_of_all));
        end.collectives = std::min(end.collectives, reached);
    }
    if (end.collectives == 0) return end;
    end.last.resize(again.ranks());
    for (std::uint32_t rank = 0; rank < again.ranks(); ++rank) {
        std::uint64_t reached = 0;
        while (reached < end.collectives) {
            const std::span<const Action> window = again.next(RankId{rank});
            if (window.empty()) break;
            for (const Action& action : window) {
                ++end.last[rank];
                if (is_of_all(action) && ++reached == end.collectives) break;
            }
        }
    }
    return end;
}

} // namespace orrery::recorded
