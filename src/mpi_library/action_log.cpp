#include "mpi_library/action_log.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace orrery::emulate {

void ActionLog::add(std::uint32_t rank, Action action, std::span<const Bytes> counts) {
    RankLog& log = ranks_[rank];
    log.last = action;
    log.has_last = true;
    if (keep_ == Keep::last) return;
    action.first_count = static_cast<std::uint32_t>(log.counts.size());
    action.counts = static_cast<std::uint32_t>(counts.size());
    log.counts.insert(log.counts.end(), counts.begin(), counts.end());
    log.actions.push_back(action);
}

void ActionLog::pause(std::uint32_t rank, Time duration, Pause how, Time most) {
    if (keep_ == Keep::last || (duration == Time::zero() && how != Pause::timed_wait)) return;
    Action action;
    action.kind = ActionKind::sleep;
    action.volume = duration.picoseconds() * 1e-12;
    action.other = static_cast<std::uint32_t>(how);
    action.bytes = static_cast<Bytes>(most.ps());
    ranks_[rank].actions.push_back(action);
}

void ActionLog::test_succeeded(std::uint32_t rank) {
    std::vector<Action>& actions = ranks_[rank].actions;
    if (actions.empty() || actions.back().kind != ActionKind::sleep) return;
    std::uint32_t& how = actions.back().other;
    if (static_cast<Pause>(how) == Pause::probe) how = static_cast<std::uint32_t>(Pause::found);
}

void ActionLog::unforget(std::uint32_t rank, std::uint32_t request) {
    std::vector<Action>& actions = ranks_[rank].actions;
    const auto forgot = std::find_if(actions.rbegin(), actions.rend(), [&](const Action& each) {
        return each.kind == ActionKind::forget && each.request == request;
    });
    if (forgot != actions.rend()) actions.erase(std::next(forgot).base());
}

std::uint32_t ActionLog::new_request(std::uint32_t rank) {
    RankLog& log = ranks_[rank];
    if (log.free.empty()) return log.requests++;
    const std::uint32_t number = log.free.back();
    log.free.pop_back();
    return number;
}

void ActionLog::rewind() {
    for (RankLog& log : ranks_) log.read = false;
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
