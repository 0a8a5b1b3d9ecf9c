// What a run was, for statements about its prediction.
#pragma once

#include "engine/ids.h"
#include "results/replay_prediction.h"
#include "simulation/simulation.h"

#include <cstdint>
#include <vector>

namespace orrery {

struct RunFacts {
    enum class Workload : std::uint8_t { schedule, trace, program, messages };
    Workload workload = Workload::schedule;
    std::uint32_t ranks = 0;
    std::vector<HostId> hosts; // of each rank; empty of a schedule on loggops, which has no hosts
    bool own_hostfiles =
        false; // several traces with a hostfile each: --map-by alone does not say where ranks run
    // Of traces, and of programs whose computation is scaled: something computes at the hosts' speed ...
    bool host_speeds = false;
    // ... or at that of the computer where it was recorded or runs.
    bool recorded_speed = false;
    // Null: a run of LogGOPS without links and collectives, or nobody knows which links messages cross.
    const ReplayPrediction* prediction = nullptr;

    [[nodiscard]] bool schedule() const { return workload == Workload::schedule; }
};

// Of traces that run together.
RunFacts facts_of(const Simulation& simulation, std::span<const Simulation::Job> jobs,
                  const ReplayPrediction& prediction);
// Of a schedule.
RunFacts facts_of(const Simulation& simulation, std::uint32_t ranks, const ReplayPrediction& prediction);
// Of work in which any host may send to any other: random traffic, a trace under many mappings.
RunFacts facts_of_all_hosts(const Simulation& simulation, RunFacts::Workload workload);

} // namespace orrery
