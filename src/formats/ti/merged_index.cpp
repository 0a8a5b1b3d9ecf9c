#include "formats/ti/merged_index.h"

#include "engine/error.h"
#include "formats/ti/byte_stream.h"
#include "formats/ti/line_reader.h"
#include "formats/ti/line_words.h"

#include <fmt/format.h>

namespace orrery::ti {

namespace {

// Parts are listed unless there are many and they are short: then reading one by one costs more than sorting
// all.
constexpr std::size_t few_extents = 65'536;
constexpr std::size_t most_extents = std::size_t{1} << 20;
constexpr std::uint64_t short_extent = 16; // lines

constexpr std::uint32_t nobody = 0xFFFF'FFFF;

struct Part {
    Extent extent;
    std::uint32_t rank = 0;
};

void complain_of_missing(const std::string& path, const std::vector<bool>& seen) {
    std::vector<std::size_t> missing;
    for (std::size_t rank = 0; rank < seen.size() && missing.size() < 10; ++rank) {
        if (!seen[rank]) missing.push_back(rank);
    }
    if (missing.empty()) return;
    throw InputError(
        Error{path, 0, 0,
              fmt::format("a rank is missing: there are lines of ranks up to {}, but none of rank {}{}",
                          seen.size() - 1, fmt::join(missing, ", "), missing.size() == 10 ? ", ..." : "")});
}

MergedIndex sorted(const std::vector<Part>& parts, std::uint32_t ranks) {
    MergedIndex index;
    index.ranks = ranks;
    index.first.assign(ranks + 1, 0);
    for (const Part& part : parts) ++index.first[part.rank + 1];
    for (std::uint32_t rank = 0; rank < ranks; ++rank) index.first[rank + 1] += index.first[rank];
    std::vector<std::uint32_t> next(index.first.begin(), index.first.end() - 1);
    index.extents.resize(parts.size());
    for (const Part& part : parts) index.extents[next[part.rank]++] = part.extent;
    return index;
}

} // namespace

MergedIndex index_merged_file(const std::string& path) {
    LineReader reader(path);
    LineWords words;
    words.begin_file(path);
    std::vector<Part> parts;
    std::vector<bool> seen;
    bool scattered = packing_of_file(path) != Packing::plain; // parts of it cannot be found again
    std::uint64_t lines = 0;
    std::uint32_t current = nobody;
    while (const char* line = reader.next()) {
        words.begin_line(line, reader.number());
        if (!words.anything()) continue;
        const std::uint32_t rank = words.rank();
        ++lines;
        if (rank == current) continue;
        current = rank;
        if (rank >= seen.size()) {
            if (rank - seen.size() > std::uint64_t{1} << 26)
                words.fail(fmt::format("rank {} follows on {} others: expected all ranks from 0 on", rank,
                                       seen.size()));
            seen.resize(rank + 1);
        }
        seen[rank] = true;
        if (scattered) continue;
        if (!parts.empty()) parts.back().extent.bytes = reader.offset() - parts.back().extent.offset;
        parts.push_back({{reader.offset(), 0, reader.number()}, rank});
        if (parts.size() >= most_extents ||
            (parts.size() >= few_extents && lines / parts.size() < short_extent)) {
            scattered = true;
            parts = {};
        }
    }
    if (!parts.empty()) parts.back().extent.bytes = reader.offset() - parts.back().extent.offset;
    if (seen.empty()) {
        throw InputError(
            Error{path, 0, 0, "no actions: expected lines of the form <rank> <action>, such as 0 compute 1e6"});
    }
    complain_of_missing(path, seen);
    const auto ranks = static_cast<std::uint32_t>(seen.size());
    if (!scattered) return sorted(parts, ranks);
    MergedIndex index;
    index.ranks = ranks;
    index.scattered = true;
    return index;
}

} // namespace orrery::ti
