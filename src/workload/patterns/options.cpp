#include "workload/patterns/options.h"

#include "engine/error.h"
#include "engine/units.h"
#include "workload/op.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace orrery {

namespace {

std::uint32_t small_count(std::string_view text) {
    const std::uint64_t count = parse_count(text);
    if (count > std::numeric_limits<std::uint32_t>::max()) {
        throw UsageError(fmt::format("'{}' is too large", text));
    }
    return static_cast<std::uint32_t>(count);
}

// "4x3" or "4x4x2".
std::array<std::uint32_t, 3> parse_dims(std::string_view text) {
    std::array<std::uint32_t, 3> dims{};
    std::string_view rest = text;
    for (std::uint32_t& length : dims) {
        const auto cross = rest.find('x');
        const auto part = rest.substr(0, cross);
        const auto result = std::from_chars(part.data(), part.data() + part.size(), length);
        if (result.ec != std::errc() || result.ptr != part.data() + part.size() || length == 0) break;
        if (cross == std::string_view::npos) return dims;
        rest.remove_prefix(cross + 1);
    }
    throw UsageError(fmt::format("'{}' is not a grid such as 8x8 or 4x4x2", text));
}

double parse_skew(std::string_view text) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value) ||
        value < 1) {
        throw UsageError(fmt::format("'{}' is not a ratio of at least 1", text));
    }
    return value;
}

using Options = PatternOptions;
using Text = std::string_view;

constexpr std::array option_rows{
    PatternOptionInfo{option::bytes, "--bytes", "SIZE",
                      "Bytes of each message, or of the vector that is reduced",
                      [](Options& o, Text text) { o.bytes = parse_bytes(text); }},
    PatternOptionInfo{option::root, "--root", "RANK", "The rank that data comes from or goes to",
                      [](Options& o, Text text) { o.root = small_count(text); }},
    PatternOptionInfo{option::radix, "--radix", "K",
                      "Children of each node of a tree, or partners in each round of an n-way dissemination",
                      [](Options& o, Text text) { o.radix = small_count(text); }},
    PatternOptionInfo{option::fan, "--fan", "K",
                      "How many ranks send to the root (incast), receive from it (outcast), or are reached "
                      "from each rank (bipartite)",
                      [](Options& o, Text text) { o.fan = small_count(text); }},
    PatternOptionInfo{option::segment, "--segment", "SIZE", "A message is cut into pieces of this size",
                      [](Options& o, Text text) { o.segment = parse_bytes(text); }},
    PatternOptionInfo{option::iterations, "--iterations", "N", "How often the pattern is repeated",
                      [](Options& o, Text text) { o.iterations = parse_count(text); }},
    PatternOptionInfo{option::compute, "--compute", "TIME",
                      "Computation between messages: per iteration, hop or block",
                      [](Options& o, Text text) {
                          o.compute = parse_time(text);
                          o.usual_compute_us = 0;
                      }},
    PatternOptionInfo{option::reduce_cost, "--reduce-cost", "TIME/B",
                      "Time per byte to combine two operands, such as 0.1ns/B",
                      [](Options& o, Text text) { o.reduce_cost = parse_time_per_byte(text); }},
    PatternOptionInfo{option::pause, "--pause", "TIME",
                      "Send after a computation of this length instead of waiting for the data",
                      [](Options& o, Text text) { o.pause = parse_time(text); }},
    PatternOptionInfo{option::seed, "--seed", "N",
                      "Seed of the random choices; the same seed gives the same schedule",
                      [](Options& o, Text text) { o.seed = parse_count(text); }},
    PatternOptionInfo{option::dims, "--dims", "XxY[xZ]", "Ranks along each axis (otherwise near-cubic)",
                      [](Options& o, Text text) { o.dims = parse_dims(text); }},
    PatternOptionInfo{option::periodic, "--periodic", "", "The grid wraps around at its edges",
                      [](Options& o, Text) { o.periodic = true; }},
    PatternOptionInfo{option::distance, "--distance", "K", "How far away the partners of a rank are",
                      [](Options& o, Text text) { o.distance = small_count(text); }},
    PatternOptionInfo{option::group, "--group", "K", "Consecutive ranks that are a group",
                      [](Options& o, Text text) { o.group = small_count(text); }},
    PatternOptionInfo{option::blocks, "--blocks", "K", "Blocks that the third axis is cut into",
                      [](Options& o, Text text) { o.blocks = small_count(text); }},
    PatternOptionInfo{option::octants, "--octants", "K",
                      "Directions of a sweep, 1 to 8; each corner of the grid serves two",
                      [](Options& o, Text text) { o.octants = small_count(text); }},
    PatternOptionInfo{option::skew, "--skew", "RATIO",
                      "Blocks that do not go to the root have a random size of at most SIZE/RATIO",
                      [](Options& o, Text text) { o.skew = parse_skew(text); }},
    PatternOptionInfo{option::outcast, "--outcast", "", "The rank after the root sends full blocks to all",
                      [](Options& o, Text) { o.outcast = true; }},
    PatternOptionInfo{option::overlap, "--overlap", "TIME",
                      "Computation on each rank that overlaps the pattern",
                      [](Options& o, Text text) { o.overlap = parse_time(text); }},
    PatternOptionInfo{option::overlap_chunk, "--overlap-chunk", "TIME",
                      "Cut that computation into pieces of this length",
                      [](Options& o, Text text) { o.overlap_chunk = parse_time(text); }},
    PatternOptionInfo{option::overlap_cpu, "--overlap-cpu", "N",
                      "The CPU of each rank that does it (0 is the one that sends and receives)",
                      [](Options& o, Text text) { o.overlap_cpu = small_count(text); }},
};

} // namespace

std::span<const PatternOptionInfo> pattern_options() { return option_rows; }

std::uint32_t parse_ranks(std::string_view text) {
    const std::uint64_t count = parse_count(text);
    if (count == 0 || count > max_ranks) {
        throw UsageError(fmt::format("the number of ranks is from 1 to {}, not '{}'", max_ranks, text));
    }
    return static_cast<std::uint32_t>(count);
}

} // namespace orrery
