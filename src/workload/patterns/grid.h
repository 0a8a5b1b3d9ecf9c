// Ranks on a Cartesian grid, the last axis running fastest (as MPI_Cart_create numbers them).
#pragma once

#include "workload/patterns/options.h"

#include <array>
#include <cstdint>

namespace orrery::patterns_detail {

struct Grid {
    std::uint32_t axes = 2;
    std::array<std::uint32_t, 3> length{1, 1, 1};

    using Place = std::array<std::uint32_t, 3>;
    [[nodiscard]] Place place(std::uint32_t rank) const;
    // Ranks between two neighbours along an axis.
    [[nodiscard]] std::uint32_t stride(std::uint32_t axis) const;
    [[nodiscard]] std::uint32_t size() const { return length[0] * length[1] * length[2]; }
};

// The grid of options.dims, or the one closest to a cube. Throws UsageError if it does not hold the ranks.
Grid make_grid(const PatternOptions& options, std::uint32_t axes);

} // namespace orrery::patterns_detail
