// The mappings that a search tries: systematic ones over the shape of the machine, and others.
//
// A systematic mapping is an order of the ranks and an order of the cores, put side by side. Cores have
// coordinates: those of their host (a letter for each dimension of the machine: A, B, C, ...) and T, the core
// within the host. An order of the cores is a word such as ABCDET: the rightmost letter runs fastest, as on
// Blue Gene, so that ABCDET fills a host before the next one. An order of the ranks is a block shape such as
// 4x2x2: the grid of ranks is taken block by block, x fastest.
//
// The systematic set: the dimensions of a machine, those of equal size together, in all orders, with T last
// (hosts filled one by one) or first (one rank on each host in turn), times the block shapes 1x1x1, those of
// the size of a host, 2x2x2, 4x4x4 and 8x8x8. On a rack of Blue Gene/Q, 4x4x4x8x2 hosts of 16 cores, these are
// 3! * 2 * 7 = 84.
#pragma once

#include "machine/platform.h"
#include "tools/mapping/pattern.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct CandidateMapping {
    std::string name;  // "ABCDET 4x2x2", "random:3"
    std::string words; // what that is
    std::function<std::vector<HostId>()> make;
    bool always_replayed = false; // with a trace, whatever the screening says of it
};

// Hosts as a grid: host = x1 + d1 (x2 + d2 (...)).
struct HostGrid {
    std::vector<std::uint32_t> dimensions;
    std::uint32_t cores = 1; // of each host; of the one with the fewest
    [[nodiscard]] std::uint32_t hosts() const;
};
// A torus or mesh by its dimensions, a fat tree by its levels, all others as one row.
HostGrid host_grid(const Platform& platform);

using BlockShape = std::array<std::uint32_t, 3>;

// Ranks in the order in which blocks of this shape pass over the grid.
std::vector<std::uint32_t> ranks_by_block(const std::array<std::uint32_t, 3>& grid, const BlockShape& block);
// The host of each core, in the order of a word such as "ABCDET". Throws UsageError for another word.
std::vector<HostId> cores_by_word(const HostGrid& grid, const std::string& word);
// The same, by boxes of hosts with this many in each dimension (fewer at the edges), the cores of a host
// together.
std::vector<HostId> cores_by_box(const HostGrid& grid, std::uint32_t side);

// The systematic set.
std::vector<CandidateMapping> systematic_mappings(const Platform& platform,
                                                  const CommunicationPattern& pattern);

inline constexpr std::string_view block_mapping_name = "block"; // what a replay does unless told otherwise
// What everybody has: block and roundrobin. Both are replayed always, for comparison.
std::vector<CandidateMapping> common_mappings(const Platform& platform, const CommunicationPattern& pattern);

// Beyond it: reversed, T between the dimensions, boxes of hosts, `random` shuffled ones, and
// metis. The platform and the pattern must outlive the candidates.
std::vector<CandidateMapping> further_mappings(const Platform& platform, const CommunicationPattern& pattern,
                                               std::uint32_t random);

} // namespace orrery
