#include "machine/topologies/lists.h"

#include "engine/error.h"
#include "machine/host_names.h"
#include "machine/machine_limits.h"

#include <charconv>
#include <fmt/format.h>

namespace orrery {

std::vector<std::uint32_t> parse_counts(std::string_view text) {
    constexpr std::uint32_t most = 1'000'000;
    std::vector<std::uint32_t> counts;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto separator = [](char c) { return c == ' ' || c == ',' || c == 'x' || c == '\t'; };
    while (at != end) {
        if (separator(*at)) {
            ++at;
            continue;
        }
        std::uint32_t value = 0;
        const auto result = std::from_chars(at, end, value);
        const bool ends = result.ptr == end || separator(*result.ptr);
        if (result.ec != std::errc() || !ends || value == 0 || value > most) break;
        counts.push_back(value);
        at = result.ptr;
    }
    if (at != end || counts.empty()) {
        throw UsageError(
            fmt::format("'{}' is not a list of counts such as 4,4,4 (each from 1 to {})", text, most));
    }
    return counts;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::uint64_t bounded_product(const std::vector<std::uint32_t>& factors) {
    std::uint64_t product = 1;
    for (const std::uint32_t factor : factors) {
        product *= factor;
        if (product > machine_limits().hosts) return product;
    }
    return product;
}

} // namespace orrery
