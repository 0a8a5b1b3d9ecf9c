#include "protocol/collective_counts.h"

#include "results/call_counts.h"

#include <algorithm>
#include <tuple>

namespace orrery {

namespace {

constexpr std::size_t most_known = std::size_t{1} << 16; // 6 MB

} // namespace

// Algorithms by name: an order that does not depend on addresses.
bool CollectiveCounts::Less::operator()(const Alike& a, const Alike& b) const {
    const auto name = [](const Alike& each) {
        return each.algorithm == nullptr ? std::string_view() : each.algorithm->name;
    };
    const auto key = [&](const Alike& each) {
        return std::tuple(each.bytes, each.size, each.operation, each.nonblocking, each.commutative,
                          each.tuning.segment, each.tuning.fanout, name(each));
    };
    return key(a) < key(b);
}

std::uint32_t CollectiveCounts::count(const CollectiveCall& call, bool nonblocking, const Choice& choice) {
    const Alike alike{call.operation,        nonblocking,      call.commutative, call.size,
                      selection_bytes(call), choice.algorithm, choice.tuning};
    Last& last = last_[2 * static_cast<std::size_t>(call.operation) + (nonblocking ? 1 : 0)];
    if (!last.known || !(last.alike == alike)) last = {alike, find(call, alike), true};
    CollectiveProfile& row = rows_[last.row].profile;
    ++row.calls;
    row.least = std::min(row.least, alike.bytes);
    row.most = std::max(row.most, alike.bytes);
    return last.row;
}

std::uint32_t CollectiveCounts::find(const CollectiveCall& call, const Alike& alike) {
    if (const auto found = known_.find(alike); found != known_.end()) return found->second;
    CollectiveProfile fresh;
    if (alike.nonblocking) fresh.call = "i";
    fresh.call += name_of(call.operation);
    fresh.least = alike.bytes;
    if (alike.algorithm == nullptr) {
        fresh.algorithm = "own";
        fresh.reason = "the call has one algorithm, whatever is selected";
    } else {
        fresh.algorithm = words_of({alike.algorithm, alike.tuning});
        fresh.reason = policy_.reason(call, alike.nonblocking);
    }
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
        return row.profile.call == fresh.call && row.profile.algorithm == fresh.algorithm &&
               row.profile.reason == fresh.reason;
    });
    const auto row = static_cast<std::uint32_t>(same - rows_.begin());
    if (same == rows_.end()) rows_.push_back({std::move(fresh), 0});
    if (known_.size() >= most_known) known_.clear();
    known_.emplace(alike, row);
    return row;
}

std::vector<CollectiveProfile> CollectiveCounts::profile() const {
    std::vector<CollectiveProfile> profile;
    for (const Row& row : rows_) {
        profile.push_back(row.profile);
        profile.back().seconds = row.ticks * Time::tick_ps() * 1e-12;
    }
    sort_profile(profile);
    return profile;
}

} // namespace orrery
