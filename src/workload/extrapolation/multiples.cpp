#include "workload/extrapolation/multiples.h"

#include "engine/error.h"
#include "engine/units.h"

#include <fmt/format.h>

namespace orrery {

void check_extrapolated_ranks(std::uint32_t traced, std::uint64_t total) {
    constexpr std::uint64_t most = 100'000'000; // each takes memory, whatever it does
    if (total > most) throw UsageError(fmt::format("-n {}: at most {} ranks", total, most));
    if (total != 0 && total % traced == 0) return;
    const std::uint64_t below = total / traced * traced;
    const std::uint64_t above = below + traced;
    if (below == 0) {
        throw UsageError(fmt::format(
            "a trace of {} ranks can be extrapolated to a multiple of {} ranks, not to {}; next to it is "
            "{}{}",
            traced, traced, total, above, total == 0 ? "" : "; for fewer ranks, trace a smaller run"));
    }
    throw UsageError(
        fmt::format("a trace of {} ranks can be extrapolated to a multiple of {} ranks, not to {}; next "
                    "to it are {} and {}",
                    traced, traced, total, below, above));
}

std::vector<std::string> extrapolation_assumptions(std::uint32_t traced, std::uint32_t total) {
    if (total == traced) return {};
    return {
        fmt::format(
            "weak scaling from {} rank{}, {} copies: each rank computes and sends as much as the traced one",
            format_count(traced), traced == 1 ? "" : "s", format_count(total / traced)),
        fmt::format(
            "point-to-point messages stay within their copy; collectives over all ranks are rebuilt for {} "
            "ranks",
            format_count(total))};
}

} // namespace orrery
