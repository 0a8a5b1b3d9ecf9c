#include "tools/mapping/pattern.h"

#include "engine/error.h"
#include "engine/units.h"
#include "workload/patterns/pattern.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
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

CommunicationPattern pattern_of(const Schedule& schedule, std::string words) {
    CommunicationPattern pattern;
    pattern.words = std::move(words);
    pattern.ranks = schedule.ranks();
    pattern.grid = balanced_grid(schedule.ranks());
    std::map<std::uint32_t, Bytes> sent; // by one rank, to each
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
        sent.clear();
        const BlockView program = schedule.checked_program(RankId{rank});
        for (std::uint32_t op = 0; op < program.ops(); ++op) {
            const BlockView::Record record = program.record(op);
            const bool sends = record.kind() == OpKind::send && record.peer() < schedule.ranks();
            if (sends && record.peer() != rank) sent[record.peer()] += record.size();
        }
        for (const auto& [to, bytes] : sent) pattern.messages.push_back({rank, to, bytes});
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
