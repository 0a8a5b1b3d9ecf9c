// The timelines that the options ask for: --timeline and --paraver.
#pragma once

#include "cli/simulate_options.h"
#include "observe/critical_path.h"
#include "observe/replay_timeline.h"
#include "results/recording.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::cli {

bool wants_timelines(const SimulateArguments& arguments);

// Who acts in a run.
struct Cast {
    std::vector<std::uint32_t> job_ranks;
    std::vector<HostId> hosts; // of each rank; none: the model has none
    std::vector<Time> starts;  // of each rank
    std::uint32_t cpus = 1;    // of each rank

    [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(starts.size()); }
};
Cast cast_of(const Simulation& simulation, std::uint32_t ranks); // of a program
Cast cast_of(const Simulation& simulation, const Schedule& schedule);
Cast cast_of(const Simulation& simulation, std::span<const Simulation::Job> jobs);

// Pictures that show more of a Recording than a ReplayObserver is told: interfaces, and the critical path.
bool drawn_from_recording(const std::string& file);
void draw_timelines(const Recording& recording, const LogGOPS& parameters, const CriticalPath& path,
                    const std::string& what, const SimulateArguments& arguments);

// All others; `recorded`: there will be a Recording to draw from.
void add_timelines(ReplayTimelines& timelines, const Simulation& simulation, Cast cast, bool recorded,
                   const std::string& what, const SimulateArguments& arguments);

} // namespace orrery::cli
