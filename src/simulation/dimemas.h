// A Dimemas trace on a Dimemas machine: the question of `--model dimemas`, as text, and its answer.
#pragma once

#include "drivers/dimemas/simulate.h"
#include "engine/settings.h"
#include "formats/dimemas/dim_file.h"
#include "formats/dimemas_machine/configuration.h"
#include "observe/replay_report.h"
#include "results/replay_prediction.h"
#include "simulation/simulation.h"

#include <span>
#include <string>
#include <vector>

namespace orrery {

// Whether a simulation asks for Dimemas' own model: `--model dimemas`, or a .cfg as the machine and no network.
// Throws UsageError if it asks for that and for something else.
bool asks_for_dimemas(const SimulationText& text);

// What `dimemas.*` settings know, for help and checking.
std::span<const Parameter> dimemas_parameters();

class DimemasSimulation {
  public:
    // Reads the machine that the text names. Throws InputError or UsageError.
    explicit DimemasSimulation(const SimulationText& text);

    // The node of each thread of the trace, counted through all tasks: what watches a run knows threads as
    // ranks.
    [[nodiscard]] std::vector<std::string> node_names(const dimemas::DimFile& trace) const;
    // Throws InputError for a trace that does not fit the machine, SimulationError if it cannot come to its
    // end.
    [[nodiscard]] ReplayPrediction run(const dimemas::DimFile& trace,
                                       const Simulation::Watchers& watchers) const;
    // How long it takes without latencies, time for bytes and waiting for links and buses: what is left is
    // computation, waiting for processors and waiting for others.
    [[nodiscard]] Time run_ideal(const dimemas::DimFile& trace) const;
    // What a report says of it; the caller knows the rest.
    [[nodiscard]] ReplayContext context(const dimemas::DimFile& trace) const;

  private:
    Settings settings_;
    dimemas::Configuration machine_;
    dimemas::SimulationOptions options_;
};

} // namespace orrery
