#include "drivers/graph/simulate.h"

#include "drivers/graph/deadlock.h"
#include "drivers/graph/graph_driver.h"
#include "drivers/graph/recorder.h"
#include "engine/error.h"

#include <chrono>

namespace orrery {

namespace {

template <bool Multi>
[[noreturn]] void explain_failure(const Schedule& schedule, const SimulationOptions& options) {
    // The run is repeated, this time remembering what started and what ended.
    const std::vector<std::uint64_t> first_op = first_operations(schedule);
    const std::uint64_t operations =
        first_op.back() + schedule.program(RankId{schedule.ranks() - 1}).ops(); // not what the header says
    if (operations != schedule.operations()) {
        throw InputError(
            Error{schedule.name(), 0, 0, "damaged schedule: its header counts other operations than it holds"});
    }
    ProgressObserver observer(first_op, operations);
    SimulationOptions again = options;
    again.progress = nullptr;
    GraphDriver<Multi, ProgressObserver> driver(schedule, again, observer);
    driver.run();
    throw_deadlock(schedule, first_op, observer.state, driver.unreceived(), driver.now());
}

template <bool Multi, typename Observer>
Prediction drive(const Schedule& schedule, const SimulationOptions& options, Observer& observer) {
    const auto begin = std::chrono::steady_clock::now();
    Prediction prediction;
    bool complete = false;
    {
        GraphDriver<Multi, Observer> driver(schedule, options, observer);
        complete = driver.run();
        if (complete) prediction = driver.prediction();
    }
    if (!complete) explain_failure<Multi>(schedule, options);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    prediction.simulation_seconds = elapsed.count();
    return prediction;
}

template <bool Multi> Prediction drive(const Schedule& schedule, const SimulationOptions& options) {
    if (options.recording == nullptr) {
        NullObserver nobody;
        return drive<Multi>(schedule, options, nobody);
    }
    Recorder recorder(schedule, *options.recording);
    Prediction prediction = drive<Multi>(schedule, options, recorder);
    std::vector<Time> finish(prediction.ranks.size());
    for (std::size_t rank = 0; rank < finish.size(); ++rank) finish[rank] = prediction.ranks[rank].finish;
    recorder.finish(finish);
    return prediction;
}

} // namespace

Prediction simulate(const Schedule& schedule, const SimulationOptions& options) {
    const bool multi = schedule.header().cpus > 1 || schedule.header().nics > 1;
    return multi ? drive<true>(schedule, options) : drive<false>(schedule, options);
}

} // namespace orrery
