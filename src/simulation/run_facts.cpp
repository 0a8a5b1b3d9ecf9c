#include "simulation/run_facts.h"

namespace orrery {

RunFacts facts_of(const Simulation& simulation, std::span<const Simulation::Job> jobs,
                  const ReplayPrediction& prediction) {
    RunFacts facts;
    facts.workload = RunFacts::Workload::trace;
    facts.hosts = simulation.hosts(jobs);
    facts.ranks = static_cast<std::uint32_t>(facts.hosts.size());
    facts.prediction = &prediction;
    for (const Simulation::Job& job : jobs) {
        facts.own_hostfiles = facts.own_hostfiles || !job.hostfile.empty();
        const bool recorded =
            job.cpu_time_rate > 0 && (job.as_recorded || !simulation.machine().rates_cpu_time());
        (recorded ? facts.recorded_speed : facts.host_speeds) = true;
    }
    return facts;
}

RunFacts facts_of(const Simulation& simulation, std::uint32_t ranks, const ReplayPrediction& prediction) {
    RunFacts facts;
    facts.ranks = ranks;
    if (simulation.fast_path()) return facts; // no hosts, no links
    facts.prediction = &prediction;
    facts.hosts = simulation.map(ranks);
    return facts;
}

RunFacts facts_of_all_hosts(const Simulation& simulation, RunFacts::Workload workload) {
    RunFacts facts;
    facts.workload = workload;
    for (std::uint32_t host = 0; host < simulation.platform().host_count(); ++host)
        facts.hosts.push_back({host});
    facts.host_speeds = workload == RunFacts::Workload::trace;
    return facts;
}

} // namespace orrery
