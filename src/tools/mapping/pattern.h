// One communication operation as a whole: messages between ranks that all start at once.
//
// The two benchmarks of the k-packet poster, and the sums of a trace. The grid is how ranks lie in space, for
// mappings that take them in blocks.
#pragma once

#include "engine/ids.h"
#include "observe/communication_matrix.h"

#include <array>
#include <cstdint>
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

// Three factors of a number, as equal as possible, in descending order.
std::array<std::uint32_t, 3> balanced_grid(std::uint32_t ranks);

// Each rank of a periodic 3D grid sends to its 6 neighbours across faces, then to its 8 across corners.
CommunicationPattern near_neighbour(std::uint32_t ranks, Bytes bytes);
// Each rank sends to all others of its group of so many consecutive ranks, first to the next one, then to the
// one after that, and so on, round the group. Throws UsageError if the groups do not come out even.
CommunicationPattern grouped_alltoall(std::uint32_t ranks, std::uint32_t group, Bytes bytes);
// What is in a trace: one message per pair, with the bytes of all of them.
CommunicationPattern pattern_of(const CommunicationMatrix& matrix, std::string words);

// "near-neighbour" or "alltoall:64". Throws UsageError.
CommunicationPattern parse_benchmark(const std::string& text, std::uint32_t ranks, Bytes bytes);
bool is_benchmark(const std::string& text);

} // namespace orrery
