// A stable sort for what comes in ascending runs that seldom overlap: what one rank lets leave at an instant is
// mostly in order, but ranks go on in any order. Runs are found and put one behind the other, O(n) for few
// runs; if they overlap, all is sorted as usual. A few elements are inserted, without an allocation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace orrery {

template <typename T> void sort_by_runs(std::vector<T>& all) {
    constexpr std::size_t few = 16;
    if (all.size() <= few) {
        for (auto each = all.begin(); each != all.end(); ++each)
            std::rotate(std::upper_bound(all.begin(), each, *each), each, each + 1);
        return;
    }
    using Place = typename std::vector<T>::const_iterator;
    std::vector<std::pair<Place, Place>> runs;
    for (Place begin = all.cbegin(); begin != all.cend();) {
        const Place end = std::is_sorted_until(begin, all.cend());
        runs.emplace_back(begin, end);
        begin = end;
    }
    std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return *a.first < *b.first; });
    std::vector<T> sorted;
    sorted.reserve(all.size());
    for (const auto& [begin, end] : runs) {
        if (!sorted.empty() && !(sorted.back() < *begin)) return std::stable_sort(all.begin(), all.end());
        sorted.insert(sorted.end(), begin, end);
    }
    all.swap(sorted);
}

} // namespace orrery
