// The pass over all messages in order.
#include "network/kpacket/selection.h"

#include <algorithm>
#include <array>

namespace orrery {

void Selection::pass() {
    // What is held is given out anew.
    for (const std::uint32_t message : selected_) {
        if (!messages_[message].selected) continue; // has left
        for (const std::uint32_t resource : resources_of(messages_[message].path)) {
            loads_[resource].used = 0;
            full_[resource] = 0;
        }
    }
    selected_.clear();
    // In chunks: who may have room, without branches; then their paths are fetched from memory side by side.
    constexpr std::size_t chunk = 128;
    std::array<std::uint32_t, chunk> open; // places in line_
    for (std::size_t first = 0; first < line_.size(); first += chunk) {
        const std::size_t end = std::min(first + chunk, line_.size());
        std::size_t maybe = 0;
        for (std::size_t i = first; i < end; ++i) {
            open[maybe] = static_cast<std::uint32_t>(i);
            maybe += full_[blocked_by_[i]] == 0 ? 1 : 0;
        }
        std::size_t count = 0;
        for (std::size_t k = 0; k < maybe; ++k) {
            open[count] = open[k];
            count += full_[blocked_before_[open[k]]] == 0 ? 1 : 0;
        }
        for (std::size_t k = 0; k < count; ++k) __builtin_prefetch(pool_.data() + line_[open[k]].path);
        for (std::size_t k = 0; k < count; ++k) decide(open[k]);
    }
}

void Selection::decide(std::uint32_t place) {
    const std::uint32_t before = blocked_by_[place];
    if ((full_[before] | full_[blocked_before_[place]]) != 0) return;
    const std::uint32_t now = try_in_pass(line_[place].path);
    blocked_by_[place] = now;
    blocked_before_[place] = now == to_examine_ ? to_examine_ : before;
    if (now != to_examine_ && before != to_examine_) return; // waits, as before
    const std::uint32_t message = line_[place].message;
    const bool chosen = now == to_examine_;
    if (chosen) selected_.push_back(message);
    if (messages_[message].selected == chosen) return;
    messages_[message].selected = chosen;
    (chosen ? begun_ : stopped_).push_back({message});
}

std::uint32_t Selection::try_in_pass(std::uint32_t path) {
    ++examined_;
    const std::uint64_t rate = rate_of(path);
    const std::span<const std::uint32_t> resources = resources_of(path);
    std::uint32_t where = to_examine_;
    std::uint64_t most = 0;
    for (const std::uint32_t resource : resources) {
        const Load& load = loads_[resource];
        if (load.used + need(rate, load) <= load.capacity || load.users < most) continue;
        where = resource;
        most = load.users;
    }
    if (where != to_examine_) return where;
    for (const std::uint32_t resource : resources) {
        Load& load = loads_[resource];
        load.used += need(rate, load);
        full_[resource] = load.used + need(least_rate_, load) > load.capacity ? 1 : 0;
    }
    return to_examine_;
}

} // namespace orrery
