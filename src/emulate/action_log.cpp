#include "emulate/action_log.h"

#include <fmt/format.h>

namespace orrery::emulate {

void ActionLog::add(std::uint32_t rank, Action action, std::span<const Bytes> counts) {
    RankLog& log = ranks_[rank];
    action.first_count = static_cast<std::uint32_t>(log.counts.size());
    action.counts = static_cast<std::uint32_t>(counts.size());
    log.counts.insert(log.counts.end(), counts.begin(), counts.end());
    log.actions.push_back(action);
}

std::uint32_t ActionLog::new_request(std::uint32_t rank) {
    RankLog& log = ranks_[rank];
    if (log.free.empty()) return log.requests++;
    const std::uint32_t number = log.free.back();
    log.free.pop_back();
    return number;
}

std::span<const Action> ActionLog::next(RankId rank) {
    RankLog& log = ranks_[rank.index()];
    if (log.read) return {};
    log.read = true;
    return log.actions;
}

std::span<const Bytes> ActionLog::counts(RankId rank, const Action& action) const {
    return std::span(ranks_[rank.index()].counts).subspan(action.first_count, action.counts);
}

std::string ActionLog::file(RankId rank) const { return fmt::format("{} (rank {})", program_, rank.value); }

} // namespace orrery::emulate
