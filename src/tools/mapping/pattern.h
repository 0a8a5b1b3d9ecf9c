// One communication operation as a whole: messages between ranks that all start at once.
//
// A pattern by its name, or the sums of a trace or a schedule. The grid is how ranks lie in
// space, for mappings that take them in blocks.
#pragma once

#include "engine/ids.h"
#include "observe/communication_matrix.h"
#include "workload/schedule.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct RankMessage {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes bytes = 0;
    bool operator==(const RankMessage&) const = default;
};

struct CommunicationPattern {
    std::string words; // "14-point stencil of 16,384 ranks, 64 KiB each"
    std::uint32_t ranks = 0;
    std::array<std::uint32_t, 3> grid{1, 1, 1}; // rank = x + grid[0] * (y + grid[1] * z)
    std::vector<RankMessage> messages;          // by sender; those of a sender in the order of starting
};

// What is in a trace: one message per pair, with the bytes of all of them.
CommunicationPattern pattern_of(const CommunicationMatrix& matrix, std::string words);

// All messages of a schedule in the same way.
CommunicationPattern pattern_of(const Schedule& schedule, std::string words);

// A pattern by its name, with options: "near-neighbour", "alltoall:64",
// "stencil-3d:dims=8x8x8" (workload/patterns/pattern.h): all its messages.
// `bytes`: of each, unless the name says otherwise. Throws UsageError.
CommunicationPattern parse_benchmark(const std::string& text, std::uint32_t ranks, std::optional<Bytes> bytes);
// Whether it names one; a file of that name is a trace.
bool is_benchmark(const std::string& text);

} // namespace orrery
