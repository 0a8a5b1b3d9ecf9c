#include "tools/mapping/verdict.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

std::optional<Time> block_time(std::span<const MappingResult> results) {
    const auto found = std::find_if(results.begin(), results.end(), [](const MappingResult& each) {
        return each.name == block_mapping_name && each.replayed.has_value();
    });
    return found == results.end() ? std::nullopt : found->replayed;
}

std::string percent_words(double share) {
    const double percent = 100 * share;
    return percent < 0.05 ? "less than 0.1 %" : fmt::format("{:.1f} %", percent);
}

} // namespace

std::optional<double> gain_over_block(const MappingResult& result, std::span<const MappingResult> results) {
    const std::optional<Time> block = block_time(results);
    if (!block || !result.replayed || *block <= Time::zero()) return std::nullopt;
    return (block->seconds() - result.replayed->seconds()) / block->seconds();
}

std::optional<MappingVerdict> mapping_verdict(std::span<const MappingResult> results) {
    MappingVerdict verdict;
    const MappingResult* fastest = nullptr;
    double most = 0;
    double least = 0;
    std::size_t replayed = 0;
    for (const MappingResult& each : results) {
        const std::optional<double> gain = gain_over_block(each, results);
        if (!gain) continue;
        if (++replayed == 1 || *gain > most) fastest = &each;
        most = std::max(most, *gain); // block itself gains 0
        least = std::min(least, *gain);
    }
    if (replayed < 2) return std::nullopt;
    verdict.gain = most;
    verdict.spread = most - least;
    const bool keep = verdict.gain < mapping_worth_it;
    verdict.use = keep ? std::string(block_mapping_name) : fastest->name;
    if (verdict.spread < mapping_worth_it) {
        verdict.words = fmt::format("mapping matters {}: keep block", percent_words(verdict.spread));
    } else if (keep) {
        verdict.words =
            fmt::format("keep block: the fastest mapping gains {}, the slowest one replayed loses {}",
                        percent_words(verdict.gain), percent_words(-least));
    } else {
        verdict.words = fmt::format("mapping matters {}: use {}, {} faster than block",
                                    percent_words(verdict.spread), verdict.use, percent_words(verdict.gain));
    }
    return verdict;
}

} // namespace orrery
