#include "emulate/program/swapped_variables.h"

#include <algorithm>
#include <cstring>

namespace orrery::emulate {

SwappedVariables::SwappedVariables(std::byte* place, std::size_t bytes)
    : place_(place), fresh_(place, place + bytes),
      differs_((bytes + line - 1) / line, false), same_{{0, bytes}} {}

void SwappedVariables::look_for_changes(const std::byte* now) {
    const auto same = [&](const Range& range) {
        return std::memcmp(now + range.from, fresh_.data() + range.from, range.bytes) == 0;
    };
    if (std::all_of(same_.begin(), same_.end(), same)) return;
    own_.clear();
    same_.clear();
    for (std::size_t i = 0; i < differs_.size(); ++i) {
        const Range range{i * line, std::min(line, fresh_.size() - i * line)};
        if (!differs_[i]) differs_[i] = !same(range);
        std::vector<Range>& ranges = differs_[i] ? own_ : same_;
        if (!ranges.empty() && ranges.back().from + ranges.back().bytes == range.from) {
            ranges.back().bytes += range.bytes;
        } else {
            ranges.push_back(range);
        }
    }
}

void SwappedVariables::take_out(VariablesOut& rank) {
    look_for_changes(place_);
    if (rank.bytes == nullptr) { // all of them, as find() may be asked for any
        rank.bytes = std::make_unique_for_overwrite<std::byte[]>(fresh_.size()); // NOLINT
        std::memcpy(rank.bytes.get(), place_, fresh_.size());
        return;
    }
    for (const Range& range : own_)
        std::memcpy(rank.bytes.get() + range.from, place_ + range.from, range.bytes);
}

void SwappedVariables::drop() { look_for_changes(place_); } // what it has changed the next one must get back

void SwappedVariables::bring_in(VariablesOut& rank) {
    if (rank.touched) look_for_changes(rank.bytes.get());
    rank.touched = false;
    const std::byte* const from = rank.bytes == nullptr ? fresh_.data() : rank.bytes.get();
    for (const Range& range : own_) std::memcpy(place_ + range.from, from + range.from, range.bytes);
}

void* SwappedVariables::find(VariablesOut& rank, void* address) const {
    rank.touched = true;
    return rank.bytes.get() + (static_cast<std::byte*>(address) - place_);
}

const std::byte* SwappedVariables::first_needed(const VariablesOut& rank) const {
    return own_.empty() || rank.bytes == nullptr ? nullptr : rank.bytes.get() + own_.front().from;
}

} // namespace orrery::emulate
