// The fixed numbers of LogGOPSim's binary format, little endian and packed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace orrery::loggopsim {

static_assert(std::endian::native == std::endian::little, "the schedule formats are read in place");

inline constexpr std::uint64_t cookie_bytes = 8; // offsets in the file count from behind the cookie
inline constexpr std::uint64_t max_cpu_at = 12;
inline constexpr std::uint64_t header_bytes = 14;      // cookie, u32 ranks, u8 max cpu, u8 max nic
inline constexpr std::uint64_t range_bytes = 16;       // per rank: u64 start, u64 end
inline constexpr std::uint64_t block_header_bytes = 8; // u32 nodes, u32 roots
inline constexpr std::uint64_t node_bytes = 39;
inline constexpr std::uint64_t edge_bytes = 4;

// Offsets within a node.
inline constexpr std::uint64_t dependencies_at = 0;
inline constexpr std::uint64_t type_at = 4;
inline constexpr std::uint64_t peer_at = 5;
inline constexpr std::uint64_t size_at = 9;
inline constexpr std::uint64_t tag_at = 17;
inline constexpr std::uint64_t cpu_at = 21;
inline constexpr std::uint64_t nic_at = 22;
inline constexpr std::uint64_t requires_at = 23;  // u32 count, u32 index of the first in the appendix
inline constexpr std::uint64_t irequires_at = 31; // likewise

inline constexpr std::uint8_t type_send = 1;
inline constexpr std::uint8_t type_recv = 2;
inline constexpr std::uint8_t type_calc = 3;

} // namespace orrery::loggopsim
