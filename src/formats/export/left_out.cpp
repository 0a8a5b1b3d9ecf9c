#include "formats/export/left_out.h"

#include <fmt/format.h>
#include <string_view>

namespace orrery {

bool LeftOut::takes(const Action& action, const RankCommunicators& communicators) {
    switch (action.kind) {
    case ActionKind::isend:
    case ActionKind::issend:
        if (!communicators.is_withdrawn()) return false;
        ++cancelled;
        return true;
    case ActionKind::window:
        if (is_fence(action)) return false;
        [[fallthrough]];
    case ActionKind::one_sided: ++one_sided; return true;
    case ActionKind::aside: ++asides; return true;
    case ActionKind::cancel: return true; // its send is counted
    default: return false;
    }
}

void LeftOut::append_words(std::vector<std::string>& all) const {
    const auto note = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) all.push_back(fmt::format("{} {} are left out", count, what));
    };
    note(one_sided, "calls of one-sided communication");
    note(cancelled, "cancelled sends");
    note(asides, "nonblocking collectives between two groups");
}

} // namespace orrery
