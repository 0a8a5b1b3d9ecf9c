// A recording as a picture (`--timeline x.svg`), fit to be printed: what Figures 4 to 7 of the LogGOPSim paper
// show.
//
// One band per rank with a lane for each CPU and for each direction of each NIC, messages as lines between the
// bands, the critical path over all of it. Every operation is drawn and carries its facts as a tooltip, as long
// as there are no more ranks and shapes than the options allow. Above that the picture shows less and says so
// in a note: the ranks on which the critical path stays longest; for each stretch of time the share that a rank
// spent on each kind of work, instead of single operations and messages.
#pragma once

#include "network/loggops/parameters.h"
#include "observe/critical_path.h"
#include "results/recording.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

struct SvgOptions {
    std::string title;        // what was simulated; may be empty
    double width = 1000;      // of the picture, in pixels
    std::optional<Time> from; // the window of time; default: the whole run
    std::optional<Time> to;
    std::optional<std::uint32_t> first_rank; // the range of ranks, both ends included; default: all
    std::optional<std::uint32_t> last_rank;
    std::size_t most_ranks = 64;      // more are not drawn, unless the range asks for them
    std::size_t most_shapes = 20'000; // operations, NIC occupations and messages drawn one by one
};

// Throws UsageError for an empty window, a range of ranks outside the run or a width below 400.
// `path` may be null: no critical path is drawn.
void write_timeline_svg(const Recording& recording, const LogGOPS& parameters, const CriticalPath* path,
                        const SvgOptions& options, const std::string& file);

} // namespace orrery
