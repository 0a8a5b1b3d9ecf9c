#include "emulate/compute/measurement_notes.h"

#include "engine/units.h"

#include <fmt/format.h>

namespace orrery::emulate {

namespace {

constexpr double much_removed = 0.5;     // of what is left
constexpr double worth_a_warning = 0.05; // of the predicted time is computation

std::string nanoseconds_text(std::int64_t ns) { return format_time(Time::ns(ns)); }

} // namespace

void tell_computation(const Compute& compute, const RecordedBursts* recorded, ReplayPrediction& prediction) {
    const BurstFigures figures = recorded != nullptr ? recorded->origin().figures : compute.figures();
    if (!compute.measures() || compute.bursts() == 0) return;
    const double total_ns = compute.measured_seconds() * 1e9;
    std::string words;
    if (figures.replaced() > 0) {
        words = fmt::format(
            "{} of {} measured bursts were disturbed on this computer and replaced by the median of their call "
            "sites, which removed {} from {}",
            format_count(figures.replaced()), format_count(compute.bursts()),
            nanoseconds_text(figures.removed_ns),
            format_picoseconds((total_ns + static_cast<double>(figures.removed_ns)) * 1e3));
    }
    if (figures.kept_long > 0) {
        words += fmt::format("{}{} long bursts were kept, {} above the median of their call sites",
                             words.empty() ? "" : "; ", format_count(figures.kept_long),
                             nanoseconds_text(figures.kept_long_ns));
    }
    if (!words.empty())
        prediction.notes.push_back(
            fmt::format("{}; the other bursts of a call site vary by {:.0f} %", words, 100 * figures.spread));
    const double per_rank_ns = total_ns / static_cast<double>(prediction.calls.size());
    const bool matters = per_rank_ns * 1e3 > worth_a_warning * prediction.base.time.picoseconds();
    // How much bursts of a call site differ is no sign by itself: ranks and steps may have different work.
    if (matters && static_cast<double>(figures.removed_ns) > much_removed * total_ns)
        prediction.base.warnings.push_back(
            fmt::format("computation was measured on a busy computer: disturbances took {:.0f} % of its time; "
                        "repeat the run when it is idle, or use models",
                        100 * static_cast<double>(figures.removed_ns) /
                            (total_ns + static_cast<double>(figures.removed_ns))));
}

} // namespace orrery::emulate
