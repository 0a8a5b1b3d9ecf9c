// The lines of each rank, a few kilobytes at a time, within bounded memory whatever the number of ranks and
// files.
#pragma once

#include "formats/ti/merged_index.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::ti {

// Whole lines; each ends in '\n', the last of a file too.
struct Lines {
    const char* begin = nullptr;
    const char* end = nullptr;
    std::uint64_t first = 1; // number of the first one
    std::uint64_t count = 0;
    bool cut_off = false; // the last one has no '\n' in the file
};

class LineInput {
  public:
    virtual ~LineInput() = default;
    // What comes next of a rank, nothing at its end. Valid until the next call for any rank.
    virtual Lines next(std::uint32_t rank) = 0;
    // Of what next() gave last, the lines from `from` on (which is number `line`) are to be given again.
    virtual void put_back(std::uint32_t rank, const char* from, std::uint64_t line) = 0;
    // Some kilobytes from the line at `from` of what next() gave last, to look at.
    virtual std::string_view ahead(std::uint32_t rank, const char* from) = 0;
};

// How much text of a rank to read at once, so that the actions of all ranks take some tens of megabytes.
std::size_t piece_bytes(std::uint32_t ranks);

// Plain files, one per rank. Few of them are open at a time.
std::unique_ptr<LineInput> read_rank_files(const std::vector<std::string>& paths);
// Files of which some are compressed, one per rank; all stay open.
std::unique_ptr<LineInput> read_packed_files(const std::vector<std::string>& paths);
// One plain file for all ranks, of which the index tells the parts.
std::unique_ptr<LineInput> read_merged_file(const std::string& path, const MergedIndex& index);
// One plain file that every rank reads as its own.
std::unique_ptr<LineInput> read_shared_file(const std::string& path, std::uint32_t ranks);

// How many compressed files may be open at once: each needs some hundred kilobytes.
inline constexpr std::size_t most_packed_files = 64;

} // namespace orrery::ti
