// What --timeline and --noise mean: shared by the options and the run.
#pragma once

#include "cli/simulate_options.h"
#include "machine/noise.h"
#include "observe/timeline_svg.h"

#include <memory>
#include <string>

namespace orrery::cli {

enum class TimelineKind { svg, perfetto, paje };

TimelineKind timeline_kind(const std::string& path); // by its suffix; throws UsageError
SvgOptions svg_options(const std::string& title, const SimulateArguments& arguments);
std::unique_ptr<Noise> noise_of(const SimulateArguments& arguments); // null: none

} // namespace orrery::cli
