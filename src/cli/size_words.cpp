#include "cli/size_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <vector>

namespace orrery::cli {

namespace {

// A power of two, in the binary unit that it is a small number of.
std::string power_words(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024; bytes /= 1024) ++unit;
    return fmt::format("{} {}", bytes, units[unit]);
}

} // namespace

std::string bucket_words(std::size_t bucket) {
    if (bucket == 0) return "empty";
    const std::uint64_t from = std::uint64_t{1} << (bucket - 1);
    return from == 1 ? power_words(from) : fmt::format("{} up to {}", power_words(from), power_words(2 * from));
}

std::string histogram_words(std::span<const std::uint64_t> counts) {
    constexpr std::size_t shown = 5;
    const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::vector<std::size_t> buckets;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] != 0) buckets.push_back(i);
    }
    const std::size_t left_out = buckets.size() > shown ? buckets.size() - shown : 0;
    std::stable_sort(buckets.begin(), buckets.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
    buckets.resize(buckets.size() - left_out);
    std::sort(buckets.begin(), buckets.end());
    std::string words;
    for (const std::size_t bucket : buckets) {
        words += fmt::format("{}{:.3g} % {}", words.empty() ? "" : "; ",
                             100 * static_cast<double>(counts[bucket]) / static_cast<double>(total),
                             bucket_words(bucket));
    }
    return left_out == 0 ? words : words + fmt::format("; {} more ranges", left_out);
}

nlohmann::ordered_json histogram_json(std::span<const std::uint64_t> buckets) {
    auto out = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (buckets[i] == 0) continue;
        const std::uint64_t from = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
        out.push_back({{"from", from}, {"to", i == 0 ? 0 : 2 * from - 1}, {"messages", buckets[i]}});
    }
    return out;
}

} // namespace orrery::cli
