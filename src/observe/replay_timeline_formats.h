// The formats behind make_replay_timeline.
#pragma once

#include "observe/replay_timeline.h"
#include "results/replay_prediction.h"

#include <string_view>

namespace orrery {

std::unique_ptr<ReplayTimeline> make_paje_timeline(const std::string& path, std::uint32_t ranks,
                                                   std::uint32_t cpus);
std::unique_ptr<ReplayTimeline> make_perfetto_timeline(const std::string& path, std::uint32_t ranks,
                                                       std::uint32_t cpus);
std::unique_ptr<ReplayTimeline> make_svg_timeline(const std::string& path, std::uint32_t ranks,
                                                  const SvgOptions& options);

// One colour for each kind of call, "#c9e4d6": apart for colour-blind readers and in greyscale, as in
// timeline_shapes.h.
std::string_view colour_of(CallKind kind);

} // namespace orrery
