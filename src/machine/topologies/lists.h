// Lists of counts as machine files write them: "20,320", "4x4x4", "2 3 2".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace orrery {

// Whole numbers from 1 to a million. Throws UsageError.
std::vector<std::uint32_t> parse_counts(std::string_view text);

std::vector<std::string_view> split_at(std::string_view text, char separator);

// The product, or a number beyond the most hosts that a machine may have if it is larger than that.
std::uint64_t bounded_product(const std::vector<std::uint32_t>& factors);

} // namespace orrery
