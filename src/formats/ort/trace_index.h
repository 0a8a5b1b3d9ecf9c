// Which blocks of which files make up each rank of a recorded trace, and whether they are one whole run.
#pragma once

#include "formats/ort/block_file.h"
#include "formats/ort/recorded_trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::recorded {

struct RankBlocks {
    RecordedRank about;
    std::uint32_t file = 0;
    std::uint32_t requests = 0;          // numbers of its requests are below
    std::vector<std::uint64_t> segments; // where they begin in the file
};

struct TraceIndex {
    std::vector<RankBlocks> ranks; // all of them
    std::vector<std::string> cuts; // files of which the end is not used, and why, a line each
};

// The files that `path` stands for. Throws InputError if there are none.
std::vector<std::string> files_of(const std::string& path);
// Throws InputError as RecordedTrace::open says; `path` is what messages about the whole name.
TraceIndex index_blocks(BlockFiles& files, const std::string& path, const RecordedOptions& options);

} // namespace orrery::recorded
