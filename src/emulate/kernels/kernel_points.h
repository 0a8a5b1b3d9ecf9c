// Measured times of routines, from a CSV file with a header: routine, sizes (M, N, K or any other names),
// seconds.
#pragma once

#include "emulate/kernels/kernel_terms.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct KernelPoint {
    Sizes sizes;
    double seconds = 0;
    std::uint64_t line = 0;
};

// By routine. An empty cell is a size that the routine does not have. A column `side` (L or R) makes dtrsm and
// dtrmm dtrsm_left, dtrsm_right, ... Throws InputError with line and column.
std::map<std::string, std::vector<KernelPoint>> parse_kernel_points(std::string_view text,
                                                                    const std::string& file);

} // namespace orrery
