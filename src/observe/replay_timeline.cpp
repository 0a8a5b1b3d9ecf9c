#include "observe/replay_timeline.h"

#include "engine/error.h"
#include "observe/replay_timeline_formats.h"
#include "results/replay_prediction.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

std::string_view colour_of(CallKind kind) {
    constexpr std::array<std::string_view, call_kinds> colours{"#c9e4d6", "#1f4e8c", "#e69f00",
                                                               "#c2452d", "#b07aa1", "#9a9a9a"};
    return colours[static_cast<std::size_t>(kind)];
}

std::unique_ptr<ReplayTimeline> make_replay_timeline(const std::string& path, std::uint32_t ranks,
                                                     const SvgOptions& svg, std::uint32_t cpus) {
    if (path.ends_with(".pftrace") || path.ends_with(".perfetto-trace"))
        return make_perfetto_timeline(path, ranks, cpus);
    if (path.ends_with(".paje") || path.ends_with(".trace")) return make_paje_timeline(path, ranks, cpus);
    if (path.ends_with(".svg")) return make_svg_timeline(path, ranks, svg);
    throw UsageError(
        fmt::format("--timeline {}: expected a name that ends in .svg, .pftrace, .paje or .trace", path));
}

} // namespace orrery
