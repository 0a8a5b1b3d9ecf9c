#include "formats/ti/statistics.h"

#include <algorithm>
#include <bit>

namespace orrery {

std::string_view name_of(ActionKind kind) {
    static constexpr std::array<std::string_view, TiStatistics::kinds> names{
        "compute",    "sleep",      "send",       "ssend",    "isend",       "issend",    "recv",
        "irecv",      "sendrecv",   "probe",      "wait",     "waitall",     "waitany",   "waitsome",
        "test",       "collective", "comm_split", "comm_dup", "comm_create", "comm_free", "forget",
        "neighbours", "rma",        "window",     "cancel",   "aside",       "await"};
    return names[static_cast<std::size_t>(kind)];
}

void TiStatistics::read(ActionSource& source) {
    ranks_ = source.ranks();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        const std::uint64_t before = actions_;
        rank_volume_ = 0;
        for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
            for (const Action& action : window) add(action);
        }
        largest_rank_ = std::max(largest_rank_, actions_ - before);
        volume_ += rank_volume_;
        smallest_rank_volume_ = std::min(smallest_rank_volume_, rank_volume_);
        largest_rank_volume_ = std::max(largest_rank_volume_, rank_volume_);
    }
}

void TiStatistics::add(const Action& action) {
    ++actions_;
    ++by_kind_[static_cast<std::size_t>(action.kind)];
    const auto request = [&] { requests_ = std::max(requests_, std::uint64_t{action.request} + 1); };
    switch (action.kind) {
    case ActionKind::compute: rank_volume_ += action.volume; return;
    case ActionKind::sleep: sleep_ += action.volume; return;
    case ActionKind::isend:
    case ActionKind::issend: request(); [[fallthrough]];
    case ActionKind::send:
    case ActionKind::ssend: add_message(action.bytes); return;
    case ActionKind::sendrecv:
        add_message(action.bytes);
        any_source_ += action.other == orrery::any_source ? 1U : 0U;
        return;
    case ActionKind::irecv: request(); [[fallthrough]];
    case ActionKind::recv:
        any_source_ += action.peer == orrery::any_source ? 1U : 0U;
        any_tag_ += action.tag == orrery::any_tag ? 1U : 0U;
        return;
    case ActionKind::collective:
        if (action.nonblocking) request();
        ++by_collective_[static_cast<std::size_t>(action.collective)];
        rank_volume_ += action.volume;
        collective_bytes_ += static_cast<double>(action.bytes);
        return;
    case ActionKind::one_sided:
        if (action.nonblocking) request();
        one_sided_messages_ += (action.bytes > 0 ? 1U : 0U) + (action.more_bytes > 0 ? 1U : 0U);
        one_sided_bytes_ += static_cast<double>(action.bytes) + static_cast<double>(action.more_bytes);
        return;
    case ActionKind::aside: request(); return;
    default: return;
    }
}

void TiStatistics::add_message(Bytes bytes) {
    ++messages_;
    bytes_sent_ += static_cast<double>(bytes);
    smallest_ = std::min(smallest_, bytes);
    largest_ = std::max(largest_, bytes);
    ++sizes_[static_cast<std::size_t>(std::bit_width(bytes))];
}

bool TiStatistics::communicators() const {
    return of(ActionKind::comm_split) + of(ActionKind::comm_dup) + of(ActionKind::comm_create) > 0;
}

} // namespace orrery
