#include "formats/text/nanoseconds.h"

#include "engine/error.h"

#include <fmt/format.h>

namespace orrery {

std::uint64_t whole_nanoseconds(RankId rank, const RankGraph& graph, std::uint32_t index,
                                const std::string& file) {
    const Op& op = graph.ops[index];
    if (op.size % picoseconds_per_nanosecond != 0) {
        throw InputError(
            Error{file, 0, 0,
                  fmt::format("rank {}, operation {} ({}) cannot be written: this format counts whole "
                              "nanoseconds (the .orr format keeps picoseconds)",
                              rank.value, index + 1, describe(op))});
    }
    return op.size / picoseconds_per_nanosecond;
}

} // namespace orrery
