// The recorded trace (.ort): what the tracing library writes while the application runs.
//
//   file     block | block | ...       the blocks of a rank in their order; several ranks may share a file, so
//                                      that traces are gathered by putting their files one after the other
//   block    BlockHeader | payload     plain or compressed by zstd
//   rank     begin block (JSON: who, where, what is counted) | segment blocks | end block (JSON: totals)
//
// Each block stands alone and carries its run, rank and number: a file that was cut off is readable up to its
// last whole block, and blocks that are missing or belong to another run are noticed. docs/format.md describes
// every byte.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace orrery::recorded {

static_assert(std::endian::native == std::endian::little, "the file is little-endian and read in place");

inline constexpr std::array<char, 4> block_magic{'O', 'R', 'T', '1'};

enum class BlockKind : std::uint8_t { begin = 1, segment = 2, end = 3 };
enum class BlockPacking : std::uint8_t { plain = 0, zstd = 1 };

struct BlockHeader {
    std::array<char, 4> magic = block_magic;
    BlockKind kind = BlockKind::begin;
    BlockPacking packing = BlockPacking::plain;
    std::uint16_t zero = 0;
    std::uint32_t rank = 0;
    std::uint32_t number = 0;   // of the block within its rank: the begin block is 0
    std::uint32_t bytes = 0;    // of the payload as it is stored
    std::uint32_t unpacked = 0; // and unpacked
    std::uint32_t actions = 0;  // in a segment
    std::uint32_t requests = 0; // in a segment: numbers of the requests that it makes are below
    std::uint64_t run = 0;      // which run of the application
    std::uint64_t checksum = 0; // XXH3 of the payload as stored, seeded with the XXH3 of the header before this
};
static_assert(sizeof(BlockHeader) == 48);

// What the payload of a segment begins with. segment_layout.h describes the rest.
struct SegmentHead {
    std::uint32_t actions = 0;
    std::uint32_t requests = 0;
};

// So that a damaged file cannot ask for any amount of memory.
inline constexpr std::uint32_t most_block_bytes = std::uint32_t{64} << 20;
inline constexpr std::uint32_t most_segment_actions = std::uint32_t{1} << 20;

} // namespace orrery::recorded
