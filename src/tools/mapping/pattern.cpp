#include "tools/mapping/pattern.h"

#include "engine/error.h"
#include "engine/units.h"
#include "workload/patterns/pattern.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace orrery {

CommunicationPattern pattern_of(const CommunicationMatrix& matrix, std::string words) {
    CommunicationPattern pattern;
    pattern.words = std::move(words);
    pattern.ranks = matrix.ranks();
    pattern.grid = balanced_grid(matrix.ranks());
    for (const PairTraffic& pair : matrix.pairs()) {
        if (pair.from != pair.to) pattern.messages.push_back({pair.from, pair.to, pair.bytes});
    }
    return pattern;
}

bool is_benchmark(const std::string& text) {
    std::error_code none;
    return !std::filesystem::exists(text, none) && names_pattern(text, pattern_user::map);
}

CommunicationPattern parse_benchmark(const std::string& text, std::uint32_t ranks, std::optional<Bytes> bytes) {
    PatternChoice choice = choose_pattern(text, pattern_user::map);
    choice.options.ranks = ranks;
    if (bytes && (choice.given & option::bytes) == 0) choice.options.bytes = *bytes;
    CommunicationPattern pattern;
    pattern.ranks = ranks;
    for (const PatternMessage& each : messages_of(*make_pattern(choice.info->name, choice.options), ranks))
        pattern.messages.push_back({each.from, each.to, each.bytes});
    if (pattern.messages.empty()) throw UsageError(fmt::format("in the pattern '{}' nobody sends", text));
    pattern.grid = grid_of(*choice.info, choice.options);
    const auto [nx, ny, nz] = pattern.grid;
    pattern.words = fmt::format("{} of {} ranks ({} x {} x {})", text, format_count(ranks), nx, ny, nz);
    if ((choice.info->uses & option::bytes) != 0)
        pattern.words += fmt::format(", {}", format_bytes(choice.options.bytes));
    return pattern;
}

} // namespace orrery
