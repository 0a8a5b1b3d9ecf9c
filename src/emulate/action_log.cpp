#include "emulate/action_log.h"

#include <algorithm>
#include <fmt/format.h>

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

void ActionLog::pause(std::uint32_t rank, Time duration) {
    if (duration == Time::zero() || keep_ == Keep::last) return;
    Action action;
    action.kind = ActionKind::sleep;
    action.volume = static_cast<double>(duration.ps()) * 1e-12;
    ranks_[rank].actions.push_back(action);
}

void ActionLog::withdraw(std::uint32_t rank, std::uint32_t request, Time taken) {
    std::vector<Action>& actions = ranks_[rank].actions;
    const auto sent = std::find_if(actions.rbegin(), actions.rend(), [&](const Action& each) {
        return each.request == request && (each.kind == ActionKind::isend || each.kind == ActionKind::issend);
    });
    if (sent == actions.rend()) return;
    sent->kind = ActionKind::sleep;
    sent->volume = static_cast<double>(taken.ps()) * 1e-12;
}

std::string ActionLog::left_out() const {
    if (left_out_.empty()) return {};
    std::string names;
    for (const auto& [name, times] : left_out_)
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", name, times);
    return fmt::format("a trace has no words for {}: its replay waits as long for them as this run did, "
                       "whatever the machine, and without their messages",
                       names);
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
