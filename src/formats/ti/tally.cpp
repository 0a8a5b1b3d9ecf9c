#include "formats/ti/tally.h"

#include "engine/units.h"

#include <fmt/format.h>
#include <string_view>

namespace orrery::ti {

std::vector<std::string> words(const Tally& tally) {
    static constexpr std::array<std::string_view, oddities> texts{
        "{} messages have the null datatype and carry no bytes (SimGrid's tracer writes it for derived "
        "datatypes)",
        "{} messages to or from no rank (-666, or a send to -333) are left out",
        "{} buffered sends are replayed as standard sends",
        "{} receives from rank -333 are taken as receives from any source",
        "{} testany, testsome or testall name no request: the oldest pending one is tested",
        "{} iprobe are left out",
        "{} communicators are made without arguments: all actions run on all ranks",
    };
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < oddities; ++i) {
        if (tally.counts[i] != 0)
            lines.push_back(fmt::format(fmt::runtime(texts[i]), format_count(tally.counts[i])));
    }
    return lines;
}

} // namespace orrery::ti
