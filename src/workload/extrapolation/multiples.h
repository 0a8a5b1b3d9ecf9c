// To how many ranks a trace can be extrapolated, and what that assumes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

// Throws UsageError, naming the numbers next to it, unless `total` is a multiple of `traced` and not too many.
void check_extrapolated_ranks(std::uint32_t traced, std::uint64_t total);

// What the scheme does and assumes, a line each; nothing if there is no rank more.
std::vector<std::string> extrapolation_assumptions(std::uint32_t traced, std::uint32_t total);

} // namespace orrery
