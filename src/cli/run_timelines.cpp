#include "cli/run_timelines.h"

#include "cli/timeline_options.h"
#include "observe/paraver/mpi_trace.h"
#include "observe/timeline_perfetto.h"
#include "observe/timeline_svg.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

namespace orrery::cli {

namespace {

void add_job(Cast& cast, const Simulation& simulation, std::uint32_t ranks, Time start) {
    cast.job_ranks.push_back(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        cast.starts.push_back(start + simulation.skew().of(RankId{cast.ranks()}));
}

std::unique_ptr<ReplayTimeline> paraver_timeline(const Simulation& simulation, Cast cast,
                                                 const std::string& file) {
    ParaverRun run{std::move(cast.job_ranks), {}, std::move(cast.starts), cast.cpus};
    for (const HostId host : cast.hosts) run.hosts.push_back(simulation.platform().topology().host_name(host));
    for (std::size_t rank = run.hosts.size(); rank < run.starts.size(); ++rank)
        run.hosts.push_back(fmt::format("node {}", rank));
    return make_paraver_timeline(file, run);
}

} // namespace

bool wants_timelines(const SimulateArguments& arguments) {
    return !arguments.timelines.empty() || !arguments.paraver.empty();
}

Cast cast_of(const Simulation& simulation, std::uint32_t ranks) {
    Cast cast;
    cast.hosts = simulation.map(ranks);
    add_job(cast, simulation, ranks, Time::zero());
    return cast;
}

Cast cast_of(const Simulation& simulation, const Schedule& schedule) {
    Cast cast;
    if (!simulation.fast_path()) cast.hosts = simulation.map(schedule.ranks());
    cast.cpus = schedule.header().cpus;
    add_job(cast, simulation, schedule.ranks(), Time::zero());
    return cast;
}

Cast cast_of(const Simulation& simulation, std::span<const Simulation::Job> jobs) {
    Cast cast;
    cast.hosts = simulation.hosts(jobs);
    for (const Simulation::Job& job : jobs) add_job(cast, simulation, job.actions->ranks(), job.start);
    return cast;
}

bool drawn_from_recording(const std::string& file) { return timeline_kind(file) != TimelineKind::paje; }

void draw_timelines(const Recording& recording, const LogGOPS& parameters, const CriticalPath& path,
                    const std::string& what, const SimulateArguments& arguments) {
    for (const std::string& file : arguments.timelines) {
        switch (timeline_kind(file)) {
        case TimelineKind::svg:
            write_timeline_svg(recording, parameters, &path, svg_options(what, arguments), file);
            break;
        case TimelineKind::perfetto: write_timeline_perfetto(recording, file); break;
        case TimelineKind::paje: break;
        }
    }
}

void add_timelines(ReplayTimelines& timelines, const Simulation& simulation, Cast cast, bool recorded,
                   const std::string& what, const SimulateArguments& arguments) {
    for (const std::string& file : arguments.timelines) {
        if (recorded && drawn_from_recording(file)) continue;
        timelines.add(make_replay_timeline(file, cast.ranks(), svg_options(what, arguments), cast.cpus));
    }
    if (!arguments.paraver.empty())
        timelines.add(paraver_timeline(simulation, std::move(cast), arguments.paraver));
}

} // namespace orrery::cli
