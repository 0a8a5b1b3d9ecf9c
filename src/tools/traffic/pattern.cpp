#include "tools/traffic/pattern.h"

#include "engine/error.h"
#include "engine/random.h"
#include "machine/routing/pattern.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace orrery {

TrafficPattern::TrafficPattern(const Platform& platform, const std::string& text, std::uint64_t seed)
    : hosts_(platform.host_count()), seed_(seed), words_(text) {
    if (hosts_ < 2) throw UsageError("traffic needs a machine of at least two hosts");
    std::error_code none;
    if (std::filesystem::exists(text, none) || !names_pattern(text, pattern_user::traffic)) {
        set_listed(platform, text);
    } else {
        const PatternChoice choice = choose_host_pattern(platform, text, pattern_user::traffic);
        if (choice.info->name == "hotspot") {
            set_hotspot(std::string(choice.argument));
        } else if (choice.info->name == "group") {
            set_group(choice.options.group);
        } else if (choice.info->name != "uniform") {
            set_listed(platform, text);
        }
    }
    if (senders() == 0) throw UsageError(fmt::format("in the pattern '{}' nobody sends", text));
}

void TrafficPattern::set_hotspot(const std::string& argument) {
    hot_share_ = 0.1;
    if (argument.empty()) return;
    const auto [end, failure] = std::from_chars(argument.data(), argument.data() + argument.size(), hot_share_);
    if (failure != std::errc{} || end != argument.data() + argument.size() ||
        !(hot_share_ > 0 && hot_share_ <= 1)) {
        throw UsageError(fmt::format(
            "hotspot:{}: expected the share of the messages for the hot host, from 0 to 1", argument));
    }
}

void TrafficPattern::set_group(std::uint32_t hosts) {
    group_ = std::min(hosts, hosts_);
    if (group_ == 0 || hosts_ % group_ != 0 || hosts_ == group_) {
        throw UsageError(fmt::format("{} hosts cannot be split in several groups of {}", hosts_, group_));
    }
}

void TrafficPattern::set_listed(const Platform& platform, const std::string& text) {
    const HostPattern pattern = read_pattern(platform, text, pattern_user::traffic, seed_);
    listed_ = true;
    first_.assign(hosts_ + std::size_t{1}, 0);
    for (const Flow& flow : pattern.flows) ++first_[flow.from.index() + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    to_.resize(pattern.flows.size());
    std::vector<std::uint32_t> filled(first_.begin(), first_.end() - 1);
    for (const Flow& flow : pattern.flows) to_[filled[flow.from.index()]++] = flow.to;
}

bool TrafficPattern::sends(HostId from) const {
    return !listed_ || first_[from.index()] < first_[from.index() + 1];
}

std::uint32_t TrafficPattern::senders() const {
    std::uint32_t count = 0;
    for (std::uint32_t host = 0; host < hosts_; ++host) count += sends(HostId{host}) ? 1 : 0;
    return count;
}

HostId TrafficPattern::destination(HostId from, std::uint64_t n) const {
    const RandomStream random(seed_, (std::uint64_t{1} << 32U) + from.value);
    if (listed_) {
        const std::uint32_t first = first_[from.index()];
        const std::uint32_t count = first_[from.index() + 1] - first;
        return to_[first + (count == 1 ? 0 : random.below(2 * n, count))];
    }
    if (group_ > 0) {
        const std::uint32_t next = (from.value / group_ + 1) * group_ % hosts_;
        return {next + static_cast<std::uint32_t>(random.below(2 * n, group_))};
    }
    if (hot_share_ > 0 && from.value != hot_ && random.uniform(2 * n + 1) < hot_share_) return {hot_};
    const auto to = static_cast<std::uint32_t>(random.below(2 * n, hosts_ - 1));
    return {to < from.value ? to : to + 1};
}

} // namespace orrery
