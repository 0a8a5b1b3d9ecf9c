// The binary form of a time-independent trace (.oti), and the parts that a spilled text trace is made of.
//
//   file     header | segments of rank 0 | segments of rank 1 | ... | index: a RankEntry per rank
//   segment  SegmentHeader | payload: one code per action
//   code     0x80 + i: the same as the i-th record of this segment (0 to 126)
//            0 to 3: computation (same volume as the last one; integer; integer, as difference to the last;
//            double) 0x10 + kind: a record; it becomes the next that can be referred to, unless it has counts
//   record   code | of a collective: operation + flags; of a one-sided operation: flags | which fields follow
//            (1 or 2 bytes) | the fields
//
// Integers are varints (7 bits a byte, low ones first); numbers that are often all ones (any source, any tag)
// are stored plus one. In a file with lines each code is followed by the number of its line, as difference. A
// repeated action takes one byte; a computation of changing volume, two to four. Segments stand alone, so that
// reading can begin at any of them and what a reader must remember of a rank is small.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace orrery::ti {

static_assert(std::endian::native == std::endian::little, "the file is little-endian and read in place");

inline constexpr std::array<char, 8> oti_magic{'O', 'R', 'R', 'E', 'R', 'Y', 'T', 'I'};
inline constexpr std::uint32_t oti_version = 1;
inline constexpr std::uint64_t oti_has_lines = 1;

struct OtiHeader {
    std::array<char, 8> magic = oti_magic;
    std::uint32_t version = oti_version;
    std::uint32_t ranks = 0;
    std::uint64_t flags = 0;
    std::uint64_t actions = 0;
    std::uint64_t index_offset = 0;
    std::uint64_t file_bytes = 0;
    std::array<std::uint64_t, 7> tally{}; // see tally.h
    std::uint64_t checksum = 0;           // of the bytes before it, and of the index
};
static_assert(sizeof(OtiHeader) == 112);

struct RankEntry {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t actions = 0;
    std::uint64_t requests = 0; // numbers of requests are below
};
static_assert(sizeof(RankEntry) == 32);

struct SegmentHeader {
    std::uint32_t bytes = 0; // of the payload
    std::uint32_t actions = 0;
    std::uint32_t checksum = 0; // of the payload
};
static_assert(sizeof(SegmentHeader) == 12);

inline constexpr std::uint8_t code_same_compute = 0;
inline constexpr std::uint8_t code_compute = 1;
inline constexpr std::uint8_t code_compute_difference = 2;
inline constexpr std::uint8_t code_compute_double = 3;
inline constexpr std::uint8_t code_record = 0x10;
inline constexpr std::uint8_t code_again = 0x80;
inline constexpr std::size_t most_records = 127;              // that can be referred to in a segment
inline constexpr std::size_t record_range = 65'536;           // only those that begin within so many bytes
inline constexpr std::size_t longest_record = 96;             // bytes, without counts
inline constexpr double largest_integer = 9007199254740992.0; // 2^53: volumes up to here are stored as integers

// Which fields follow.
inline constexpr unsigned field_comm = 1;
inline constexpr unsigned field_peer = 2;
inline constexpr unsigned field_other = 4;
inline constexpr unsigned field_tag = 8;
inline constexpr unsigned field_request = 16;
inline constexpr unsigned field_element = 32;
inline constexpr unsigned field_bytes = 64;
inline constexpr unsigned field_rare = 128; // a second byte says which of the rest
inline constexpr unsigned rare_more_bytes = 1;
inline constexpr unsigned rare_volume = 2;
inline constexpr unsigned rare_counts = 4;

inline constexpr unsigned flag_nonblocking = 64; // beside the collective operation
inline constexpr unsigned flag_ordered = 128;    // not commutative

// Limits of what a file may hold, so that a damaged one cannot ask for any amount of memory.
inline constexpr std::uint64_t most_requests = std::uint64_t{1} << 26;
inline constexpr std::uint32_t most_communicators = 0x7FFF'FFFF;

} // namespace orrery::ti
