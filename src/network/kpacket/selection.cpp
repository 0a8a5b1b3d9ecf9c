#include "network/kpacket/selection.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace orrery {

Selection::Selection(const std::vector<std::uint64_t>& capacities)
    : loads_(capacities.size()), to_examine_(static_cast<std::uint32_t>(capacities.size())),
      left_(to_examine_ + 1), full_(capacities.size() + 2), queues_(capacities.size()) {
    for (std::size_t i = 0; i < capacities.size(); ++i) loads_[i].capacity = capacities[i];
    full_[left_] = 1;
}

void Selection::know(MessageId message, std::uint64_t rate, std::span<const std::uint32_t> resources) {
    assert(!resources.empty());
    if (message.index() >= messages_.size())
        messages_.resize(std::max<std::size_t>(message.index() + 1, 2 * messages_.size()));
    if (resources.size() >= spare_.size()) spare_.resize(resources.size() + 1);
    least_rate_ = std::min(least_rate_, rate);
    Message& known = messages_[message.index()];
    known = {};
    for (const std::uint32_t resource : resources) ++loads_[resource].users;
    std::vector<std::uint32_t>& spare = spare_[resources.size()];
    if (spare.empty()) {
        known.path = static_cast<std::uint32_t>(pool_.size());
        pool_.resize(pool_.size() + header + resources.size());
    } else {
        known.path = spare.back();
        spare.pop_back();
    }
    pool_[known.path] = static_cast<std::uint32_t>(resources.size());
    pool_[known.path + 1] = static_cast<std::uint32_t>(rate);
    pool_[known.path + 2] = static_cast<std::uint32_t>(rate >> 32U);
    std::copy(resources.begin(), resources.end(), pool_.begin() + known.path + header);
}

void Selection::forget(MessageId message) {
    const std::uint32_t path = messages_[message.index()].path;
    for (const std::uint32_t resource : resources_of(path)) --loads_[resource].users;
    spare_[pool_[path]].push_back(path);
}

void Selection::add(MessageId message) {
    Message& added = messages_[message.index()];
    added.order = ++last_order_;
    added.place = static_cast<std::uint32_t>(line_.size());
    line_.push_back({message.value, added.path});
    blocked_by_.push_back(to_examine_);
    blocked_before_.push_back(to_examine_);
    if (queued_) added_.push_back(message.value);
    ++changes_;
    ++new_;
}

void Selection::remove(MessageId message) {
    assert(selected(message));
    Message& gone = messages_[message.index()];
    blocked_by_[gone.place] = left_;
    ++gone_;
    ++changes_;
    if (queued_) {
        release(message.value);
        return;
    }
    gone.selected = false;
    for (const std::uint32_t resource : resources_of(gone.path)) {
        loads_[resource].used = 0; // the pass will count what others hold
        full_[resource] = 0;
    }
}

void Selection::settle() {
    constexpr std::uint64_t many_new = 1024;
    begun_.clear();
    stopped_.clear();
    if (2 * gone_ > line_.size() || (new_ > many_new && 2 * new_ > line_.size())) close_up();
    new_ = 0;
    const bool queues = wants_queues();
    if (queued_ && queues) {
        update();
        ++updates_;
    } else {
        if (queued_) drop_queues();
        pass();
        ++passes_;
        if (queues) make_queues();
    }
    changes_ = 0;
}

// Queues cost as much to make as some tens of passes. So they are made after so many passes for few changes,
// and dropped when there are many changes.
bool Selection::wants_queues() {
    if (procedure_ != Procedure::cheaper) return procedure_ == Procedure::update;
    constexpr std::size_t few_messages = 1024;
    constexpr std::uint64_t few_changes = 4096; // one in so many messages
    constexpr std::uint64_t many_changes = 1024;
    constexpr std::uint64_t passes_for_queues = 32;
    const std::size_t here = line_.size() - gone_;
    if (here < few_messages || changes_ * many_changes > here) {
        in_vain_ = 0;
        return false;
    }
    if (queued_) return true;
    if (changes_ * few_changes < here) in_vain_ += here;
    return in_vain_ > passes_for_queues * here;
}

// Those behind the ones that have left move up, and their paths lie in the same order.
void Selection::close_up() {
    std::vector<std::uint32_t> pool;
    pool.reserve(pool_.size());
    std::size_t to = 0;
    for (std::size_t i = 0; i < line_.size(); ++i) {
        if (blocked_by_[i] == left_) continue;
        const auto path = static_cast<std::uint32_t>(pool.size());
        const auto from = pool_.begin() + line_[i].path;
        pool.insert(pool.end(), from, from + header + *from);
        Message& message = messages_[line_[i].message];
        message.place = static_cast<std::uint32_t>(to);
        message.path = path;
        line_[to] = {line_[i].message, path};
        blocked_before_[to] = blocked_before_[i];
        blocked_by_[to++] = blocked_by_[i];
    }
    line_.resize(to);
    blocked_by_.resize(to);
    blocked_before_.resize(to);
    gone_ = 0;
    pool_ = std::move(pool);
    for (auto& each : spare_) each.clear();
}

} // namespace orrery
