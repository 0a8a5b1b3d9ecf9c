#include "formats/ort/rank_list.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::recorded {

void add_rank(std::vector<RankRange>& list, std::uint32_t rank) {
    if (!list.empty() && list.back().last + 1 == rank) {
        list.back().last = rank;
    } else {
        list.push_back({rank, rank});
    }
}

std::string words(const std::vector<RankRange>& list) {
    constexpr std::size_t shown = 8;
    std::vector<std::string> parts;
    for (const RankRange& range : list) {
        if (parts.size() == shown) break;
        const bool pair = range.last == range.first + 1; // "3, 4" reads better than "3 to 4"
        parts.push_back(std::to_string(range.first));
        if (pair) parts.push_back(std::to_string(range.last));
        if (range.last > range.first + 1) parts.back() += fmt::format(" to {}", range.last);
    }
    std::string text = list.size() == 1 && list[0].first == list[0].last ? "rank " : "ranks ";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool last = i + 1 == parts.size() && list.size() <= shown;
        text += (i == 0 ? "" : last ? " and " : ", ") + parts[i];
    }
    return list.size() > shown ? text + " and others" : text;
}

} // namespace orrery::recorded
