// What can be set on a pattern, each with its unit: one table feeds the command line, its help and its checks.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace orrery {

struct PatternOptions {
    std::uint32_t ranks = 0;
    Bytes bytes = 8;
    std::uint32_t root = 0;
    std::uint32_t radix = 2;      // children in a tree; partners per round of an n-way dissemination
    std::uint32_t fan = 0;        // partners of the root, or of each rank; 0: as many as there are
    Bytes segment = 4096;         // piece of a pipelined message
    std::uint64_t iterations = 1; // repetitions
    Time compute = {};            // computation per iteration, hop or block
    // The same as a default of the table, which is there before anybody knows how long a tick is.
    std::int64_t usual_compute_us = 0;
    double reduce_cost = 0;              // ps per byte to combine two operands
    std::optional<Time> pause = {};      // a fixed computation in place of waiting for the data
    std::uint64_t seed = 1;              // of everything random
    std::array<std::uint32_t, 3> dims{}; // ranks along each axis of a grid; all 0: chosen near-cubic
    bool periodic = false;               // the grid wraps around
    std::uint32_t distance = 1;          // to the partners in a shift
    std::uint32_t blocks = 10;           // of the third axis in a sweep
    std::uint32_t octants = 8;           // directions of a sweep
    double skew = 1;                     // how many times smaller the random blocks of an alltoallv are
    std::uint32_t group = 1;             // consecutive ranks that belong together; 0: all
    bool outcast = false;                // one rank of an alltoallv sends full blocks to all
    Time overlap = {};                   // computation on each rank beside the pattern; 0: none
    Time overlap_chunk = {};             // length of its pieces; 0: in one piece
    std::uint32_t overlap_cpu = 1;       // the CPU that does it
};

// A set of rows of pattern_options(), one bit each.
using PatternOptionSet = std::uint32_t;
namespace option {
enum : PatternOptionSet {
    bytes = 1u << 0,
    root = 1u << 1,
    radix = 1u << 2,
    fan = 1u << 3,
    segment = 1u << 4,
    iterations = 1u << 5,
    compute = 1u << 6,
    reduce_cost = 1u << 7,
    pause = 1u << 8,
    seed = 1u << 9,
    dims = 1u << 10,
    periodic = 1u << 11,
    blocks = 1u << 12,
    octants = 1u << 13,
    skew = 1u << 14,
    outcast = 1u << 15,
    overlap = 1u << 16,
    overlap_chunk = 1u << 17,
    overlap_cpu = 1u << 18,
    distance = 1u << 19,
    group = 1u << 20,
};
inline constexpr PatternOptionSet everywhere = overlap | overlap_chunk | overlap_cpu; // fit every pattern
} // namespace option

struct PatternOptionInfo {
    PatternOptionSet bit;
    std::string_view name;  // "--bytes"
    std::string_view value; // what follows it, such as "SIZE"; empty: a flag
    std::string_view meaning;
    void (*set)(PatternOptions&, std::string_view text); // throws UsageError with what was expected
};
std::span<const PatternOptionInfo> pattern_options();

// The number of ranks: "64", "4k", "8M", "1Mi". Throws UsageError unless it is a count from 1 to max_ranks.
std::uint32_t parse_ranks(std::string_view text);

} // namespace orrery
