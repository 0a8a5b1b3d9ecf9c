// The update after a few changes: those who may be affected, in order.
#include "network/kpacket/selection.h"

#include <algorithm>
#include <cassert>

namespace orrery {

namespace {

constexpr auto later_in_order = [](const auto& a, const auto& b) { return a.order > b.order; };

} // namespace

// After a pass.
void Selection::make_queues() {
    queued_ = true;
    for (const std::uint32_t message : selected_) {
        const std::uint32_t path = messages_[message].path;
        for (const std::uint32_t resource : resources_of(path)) {
            loads_[resource].used = 0;
            loads_[resource].last = 0;
        }
    }
    for (const std::uint32_t message : selected_) {
        const std::uint32_t path = messages_[message].path;
        for (const std::uint32_t resource : resources_of(path))
            hold(message, resource, need(rate_of(path), loads_[resource]));
    }
    for (std::size_t i = 0; i < line_.size(); ++i) {
        if (blocked_by_[i] >= to_examine_) continue;
        const Message& message = messages_[line_[i].message];
        for (const std::uint32_t resource : resources_of(message.path)) {
            if (!blocked(message, resource)) continue;
            wait({line_[i].message, resource});
            break;
        }
    }
}

// Before a pass, in which everybody is examined.
void Selection::drop_queues() {
    queued_ = false;
    for (Queue& queue : queues_) {
        queue.holders.clear();
        queue.waiting.clear();
        queue.due = false;
    }
    agenda_.clear();
    added_.clear();
    for (Load& load : loads_) load.used = load.last = 0;
    std::fill_n(full_.begin(), loads_.size(), std::uint8_t{0});
    selected_.clear(); // nothing is held
    for (std::uint32_t& each : blocked_by_) {
        if (each != left_) each = to_examine_;
    }
    std::fill(blocked_before_.begin(), blocked_before_.end(), to_examine_);
}

void Selection::update() {
    while (!agenda_.empty()) {
        std::pop_heap(agenda_.begin(), agenda_.end(), later_in_order);
        const Due due = agenda_.back();
        agenda_.pop_back();
        if (due.message) {
            examine(due.which);
        } else {
            examine_first(due.which);
        }
    }
    for (const std::uint32_t message : added_) examine(message); // behind all others: they drive nobody out
    added_.clear();
    for (const Rejected& each : rejected_) wait(each);
    rejected_.clear();
    for (const std::uint32_t message : touched_) {
        Message& each = messages_[message];
        each.noted = false;
        if (each.selected != each.was_selected) (each.selected ? begun_ : stopped_).push_back({message});
    }
    touched_.clear();
}

bool Selection::blocked(const Message& message, std::uint32_t resource) const {
    const Load& load = loads_[resource];
    const std::uint64_t needed = need(rate_of(message.path), load);
    if (load.used + needed <= load.capacity) return false;
    if (load.last < message.order) return true;
    std::uint64_t before = 0; // what those before it in the order hold
    for (const std::uint32_t holder : queues_[resource].holders) {
        if (messages_[holder].order < message.order) before += need(rate_of(messages_[holder].path), load);
    }
    return before + needed > load.capacity;
}

void Selection::examine(std::uint32_t index) {
    ++examined_;
    const Message& message = messages_[index];
    const std::span<const std::uint32_t> resources = resources_of(message.path);
    for (std::size_t i = 0; i < resources.size(); ++i) {
        if (!blocked(message, resources[i])) continue;
        // It waits where most others pass: that resource is the likeliest to keep it waiting.
        std::uint32_t where = resources[i];
        for (std::size_t k = i + 1; k < resources.size(); ++k) {
            if (loads_[resources[k]].users > loads_[where].users && blocked(message, resources[k]))
                where = resources[k];
        }
        rejected_.push_back({index, where});
        return;
    }
    select(index);
}

// The first who waits is examined; if there may be room for another, the resource is due again.
void Selection::examine_first(std::uint32_t resource) {
    Queue& queue = queues_[resource];
    queue.due = false;
    const std::uint32_t first = queue.waiting.front().message;
    const Message& message = messages_[first];
    const bool no_room = blocked(message, resource);
    // Those behind it find no more room than it does.
    if (no_room && need(rate_of(message.path), loads_[resource]) <= queue.least) return;
    std::pop_heap(queue.waiting.begin(), queue.waiting.end(), later_in_order);
    queue.waiting.pop_back();
    if (no_room) {
        rejected_.push_back({first, resource});
    } else {
        examine(first);
    }
    freed(resource);
}

void Selection::select(std::uint32_t index) {
    note(index);
    Message& message = messages_[index];
    message.selected = true;
    for (const std::uint32_t resource : resources_of(message.path)) {
        const Load& load = loads_[resource];
        const std::uint64_t needed = need(rate_of(message.path), load);
        while (load.used + needed > load.capacity) drive_out(resource);
        hold(index, resource, needed);
    }
}

void Selection::hold(std::uint32_t index, std::uint32_t resource, std::uint64_t needed) {
    Load& load = loads_[resource];
    load.used += needed;
    load.last = std::max(load.last, messages_[index].order);
    queues_[resource].holders.push_back(index);
}

// The last in the order of those who hold the resource stops, and will be examined again.
void Selection::drive_out(std::uint32_t resource) {
    const std::uint64_t last = loads_[resource].last;
    for (const std::uint32_t holder : queues_[resource].holders) {
        if (messages_[holder].order != last) continue;
        note(holder);
        release(holder);
        push_due({last, holder, true});
        return;
    }
    assert(false);
}

void Selection::release(std::uint32_t index) {
    Message& message = messages_[index];
    message.selected = false;
    for (const std::uint32_t resource : resources_of(message.path)) {
        Load& load = loads_[resource];
        std::vector<std::uint32_t>& holders = queues_[resource].holders;
        const auto held = std::find(holders.begin(), holders.end(), index);
        assert(held != holders.end());
        *held = holders.back();
        holders.pop_back();
        load.used -= need(rate_of(message.path), load);
        load.last = 0;
        for (const std::uint32_t holder : holders) load.last = std::max(load.last, messages_[holder].order);
        freed(resource);
    }
}

void Selection::note(std::uint32_t index) {
    Message& message = messages_[index];
    if (message.noted) return;
    message.noted = true;
    message.was_selected = message.selected;
    touched_.push_back(index);
}

void Selection::freed(std::uint32_t resource) {
    Queue& queue = queues_[resource];
    if (queue.due || queue.waiting.empty()) return;
    queue.due = true;
    push_due({queue.waiting.front().order, resource, false});
}

void Selection::push_due(const Due& due) {
    agenda_.push_back(due);
    std::push_heap(agenda_.begin(), agenda_.end(), later_in_order);
}

void Selection::wait(const Rejected& rejected) {
    Queue& queue = queues_[rejected.resource];
    const Message& message = messages_[rejected.message];
    const std::uint64_t needed = need(rate_of(message.path), loads_[rejected.resource]);
    queue.least = queue.waiting.empty() ? needed : std::min(queue.least, needed);
    queue.waiting.push_back({message.order, rejected.message});
    std::push_heap(queue.waiting.begin(), queue.waiting.end(), later_in_order);
}

} // namespace orrery
