#include "formats/goal/goal_labels.h"

#include "engine/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::uint64_t first_room = 4096; // numbered labels that any rank can have without growing
constexpr std::uint64_t room_below = 1024; // a rank need not begin with its smallest number

} // namespace

std::uint32_t& GoalLabels::find_slowly(const GoalLabel& label) {
    if (label.numbered && make_room_for(label.number)) {
        const std::uint64_t index = label.number - base_;
        used_ = std::max(used_, index + 1);
        return by_number_[index];
    }
    auto found = by_text_.find(label.text);
    if (found == by_text_.end()) {
        found = by_text_.emplace(std::string(label.text), unknown).first;
        numbers_hashed_ = numbers_hashed_ || label.numbered;
    }
    return found.value();
}

// The table grows only while its numbers are dense, so that "l1" and "l1000000000" do not cost 4 GB.
bool GoalLabels::make_room_for(std::uint64_t number) {
    if (used_ == 0 && !numbers_hashed_) {
        base_ = number > room_below ? number - room_below : 0;
        by_number_.resize(std::max<std::size_t>(by_number_.size(), first_room), unknown);
    }
    const std::uint64_t index = number - base_;
    if (index < by_number_.size()) return true;
    if (number < base_ || numbers_hashed_ || index >= 2 * std::max(used_, first_room)) return false;
    by_number_.resize(std::max<std::size_t>(index + 1, 2 * by_number_.size()), unknown);
    return true;
}

std::uint32_t GoalLabels::define_again(std::uint32_t& entry, std::uint32_t op) {
    if (entry < forward) return entry;
    forwards_[entry - forward].op = op;
    return entry = op;
}

std::string GoalLabels::nearest(std::string_view label) const {
    constexpr std::size_t most = 200'000; // enough to help, and soon done
    std::vector<std::string> candidates;
    for (std::uint64_t i = 0; i < used_ && candidates.size() < most; ++i) {
        if (by_number_[i] < forward) candidates.push_back(fmt::format("l{}", base_ + i));
    }
    for (const auto& [text, op] : by_text_) {
        if (op < forward && candidates.size() < most) candidates.push_back(text);
    }
    std::sort(candidates.begin(), candidates.end()); // the same answer every time
    return nearest_word(label, candidates);
}

void GoalLabels::clear() {
    std::fill_n(by_number_.begin(), used_, unknown);
    // Clearing a table costs its size: one huge rank must not make every small one after it slow.
    by_number_.resize(std::min<std::size_t>(by_number_.size(), first_room + 8 * labels_));
    used_ = 0;
    base_ = 0;
    labels_ = 0;
    numbers_hashed_ = false;
    if (by_text_.bucket_count() > 64 + 16 * by_text_.size()) {
        by_text_ = {};
    } else {
        by_text_.clear();
    }
    forwards_.clear();
}

} // namespace orrery
