#include "emulate/program/swapped_variables.h"

#include <algorithm>
#include <cstring>

namespace orrery::emulate {

SwappedVariables::SwappedVariables(std::byte* place, std::size_t bytes, std::uint32_t ranks)
    : place_(place), common_(place, place + bytes),
      differs_((bytes + line - 1) / line, false), same_{{0, bytes}}, alive_(ranks),
      next_comparison_(std::uint64_t{8} * ranks) {}

SwappedVariables::Range SwappedVariables::range(std::size_t number) const {
    return {number * line, std::min(line, common_.size() - number * line)};
}

bool SwappedVariables::is_common(const std::byte* now, const Range& range) const {
    return std::memcmp(now + range.from, common_.data() + range.from, range.bytes) == 0;
}

void SwappedVariables::find_changes(const std::byte* now) {
    if (std::all_of(same_.begin(), same_.end(), [&](const Range& each) { return is_common(now, each); }))
        return;
    for (std::size_t i = 0; i < differs_.size(); ++i)
        if (!differs_[i]) differs_[i] = !is_common(now, range(i));
    set_ranges();
}

// Variables that all ranks have set to the same since they began, such as tables, are common to them again.
// Costs a comparison of all ranks, each time after twice as many switches as the time before. No rank is
// active; all have been.
void SwappedVariables::find_agreement() {
    next_comparison_ = 2 * switches_;
    std::erase_if(saved_, [](const SavedVariables* each) { return each->bytes == nullptr; });
    for (std::size_t i = 0; i < differs_.size(); ++i) {
        if (!differs_[i]) continue;
        const Range here = range(i);
        const std::byte* const first = saved_.front()->bytes.get() + here.from;
        const bool agreed = std::all_of(saved_.begin(), saved_.end(), [&](const SavedVariables* each) {
            return std::memcmp(each->bytes.get() + here.from, first, here.bytes) == 0;
        });
        if (!agreed) continue;
        differs_[i] = false;
        std::memcpy(common_.data() + here.from, first, here.bytes);
        std::memcpy(place_ + here.from, first, here.bytes);
    }
    set_ranges();
}

void SwappedVariables::set_ranges() {
    differing_.clear();
    same_.clear();
    for (std::size_t i = 0; i < differs_.size(); ++i) {
        const Range here = range(i);
        std::vector<Range>& ranges = differs_[i] ? differing_ : same_;
        if (!ranges.empty() && ranges.back().from + ranges.back().bytes == here.from) {
            ranges.back().bytes += here.bytes;
        } else {
            ranges.push_back(here);
        }
    }
}

void SwappedVariables::save(SavedVariables& rank) {
    find_changes(place_);
    if (rank.bytes == nullptr) { // all of them, as find() may be asked for any
        rank.bytes = std::make_unique_for_overwrite<std::byte[]>(common_.size()); // NOLINT
        std::memcpy(rank.bytes.get(), place_, common_.size());
        saved_.push_back(&rank);
        ++saved_alive_;
    } else {
        for (const Range& each : differing_)
            std::memcpy(rank.bytes.get() + each.from, place_ + each.from, each.bytes);
    }
    if (++switches_ >= next_comparison_ && saved_alive_ == alive_) find_agreement();
}

void SwappedVariables::drop(SavedVariables& rank) {
    find_changes(place_); // what it has changed the next one must get back
    if (rank.bytes != nullptr) --saved_alive_;
    rank.bytes.reset();
    --alive_;
}

void SwappedVariables::restore(SavedVariables& rank) {
    if (differing_.empty() && !any_touched_) return; // without touching the rank
    if (rank.touched) find_changes(rank.bytes.get());
    rank.touched = false;
    const std::byte* const from = rank.bytes == nullptr ? common_.data() : rank.bytes.get();
    for (const Range& each : differing_) std::memcpy(place_ + each.from, from + each.from, each.bytes);
}

void* SwappedVariables::find(SavedVariables& rank, void* address) {
    any_touched_ = rank.touched = true;
    return rank.bytes.get() + (static_cast<std::byte*>(address) - place_);
}

const std::byte* SwappedVariables::first_needed(const SavedVariables& rank) const {
    return differing_.empty() || rank.bytes == nullptr ? nullptr : rank.bytes.get() + differing_.front().from;
}

std::size_t SwappedVariables::moved_bytes() const {
    std::size_t bytes = 0;
    for (const Range& each : differing_) bytes += each.bytes;
    return bytes;
}

} // namespace orrery::emulate
