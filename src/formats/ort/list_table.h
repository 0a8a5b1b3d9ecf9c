// The lists of counts of a segment that have a number, so that one that comes again is not stored again.
#pragma once

#include "engine/ids.h"
#include "formats/ort/segment_layout.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::recorded {

class ListTable {
  public:
    [[nodiscard]] std::uint32_t known() const { return static_cast<std::uint32_t>(ends_.size()); }
    [[nodiscard]] std::span<const Bytes> list(std::uint64_t number) const { // 1 to known()
        const std::uint32_t from = number == 1 ? 0 : ends_[number - 2];
        return {elements_.data() + from, ends_[number - 1] - from};
    }
    // Whether it may get a number at all, and whether it may without forgetting the others.
    [[nodiscard]] static bool fits(std::size_t length) { return length <= most_elements; }
    [[nodiscard]] bool has_room(std::size_t length) const {
        return known() < most_lists && elements_.size() + length <= most_elements;
    }
    void add(std::span<const Bytes> list) {
        elements_.insert(elements_.end(), list.begin(), list.end());
        ends_.push_back(static_cast<std::uint32_t>(elements_.size()));
    }
    void clear() {
        elements_.clear();
        ends_.clear();
    }

  private:
    std::vector<Bytes> elements_;
    std::vector<std::uint32_t> ends_;
};

inline bool same_list(std::span<const Bytes> a, std::span<const Bytes> b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

} // namespace orrery::recorded
