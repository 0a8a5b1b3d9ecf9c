#include "simulation/run_facts.h"

namespace orrery {

RunFacts facts_of(const Scenario& scenario, std::span<const Scenario::Job> jobs,
                  const ReplayPrediction& prediction) {
    RunFacts facts;
    facts.workload = RunFacts::Workload::trace;
    facts.hosts = scenario.hosts(jobs);
    facts.ranks = static_cast<std::uint32_t>(facts.hosts.size());
    facts.prediction = &prediction;
    for (const Scenario::Job& job : jobs) {
        facts.own_hostfiles = facts.own_hostfiles || !job.hostfile.empty();
        const bool recorded =
            job.cpu_time_rate > 0 && (job.as_recorded || !scenario.machine().rates_cpu_time());
        (recorded ? facts.recorded_speed : facts.host_speeds) = true;
    }
    return facts;
}

RunFacts facts_of(const Scenario& scenario, std::uint32_t ranks, const ReplayPrediction* prediction) {
    RunFacts facts;
    facts.ranks = ranks;
    facts.prediction = prediction;
    if (prediction != nullptr) facts.hosts = scenario.map(ranks);
    return facts;
}

RunFacts facts_of_all_hosts(const Scenario& scenario, RunFacts::Workload workload) {
    RunFacts facts;
    facts.workload = workload;
    for (std::uint32_t host = 0; host < scenario.platform().host_count(); ++host) facts.hosts.push_back({host});
    facts.host_speeds = workload == RunFacts::Workload::trace;
    return facts;
}

} // namespace orrery
