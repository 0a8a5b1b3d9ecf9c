// Where the lines of each rank are in a file that holds those of all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::ti {

struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t line = 0; // number of the first line
};

struct MergedIndex {
    std::uint32_t ranks = 0;
    bool scattered =
        false; // ranks alternate so often that their parts are not worth listing: there are none here
    std::vector<Extent> extents;
    std::vector<std::uint32_t> first; // of the extents of each rank; ranks + 1 of them

    [[nodiscard]] std::span<const Extent> of(std::uint32_t rank) const {
        return {extents.data() + first[rank], extents.data() + first[rank + 1]};
    }
};

// Reads the file once. Throws InputError at a line that does not begin with a rank, and if a rank is missing.
MergedIndex index_merged_file(const std::string& path);

} // namespace orrery::ti
